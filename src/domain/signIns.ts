/** Sign-ins to the pages, as metrics count them. */

export const SIGN_IN_METHODS = ['provider', 'link', 'key'] as const;
export type CountedMethod = (typeof SIGN_IN_METHODS)[number];

/** `failed`: the provider or the mail server did. `refused`: the person, the link or the key is unknown or not valid any more. */
export const SIGN_IN_OUTCOMES = ['signed_in', 'refused', 'failed'] as const;
export type SignInOutcome = (typeof SIGN_IN_OUTCOMES)[number];

export type CountSignIn = (method: CountedMethod, outcome: SignInOutcome) => void;
