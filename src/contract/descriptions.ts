/** Closes each description in the API reference of what is this service's own choice, not the shared interface's. */
export const OURS = '*(ours)*';
