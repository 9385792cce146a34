/** Marks descriptions in the API reference of behaviour that this service chose itself, because the shared interface does not define it. */
export const OURS = '*(ours)*';
