/** Sign-ins to the pages, as metrics count them. */

export const SIGN_IN_METHODS = ['provider', 'link', 'key'] as const;
export type CountedMethod = (typeof SIGN_IN_METHODS)[number];

/** `failed`: the provider or the mail server did. `refused`: the person, the link or the key is unknown or no longer valid. */
export const SIGN_IN_OUTCOMES = ['signed_in', 'refused', 'failed'] as const;
export type SignInOutcome = (typeof SIGN_IN_OUTCOMES)[number];

export type CountSignIn = (method: CountedMethod, outcome: SignInOutcome) => void;

const STAY = 'so roles that come from groups stayed as they were';

/** Why a sign-in does not say in which groups the person is, and what to set. */
export const UNKNOWN_GROUPS = {
  groups_missing: `The identity provider did not send the groups, ${STAY}. The operator can add the claim at the provider, or set OIDC_SCOPES or OIDC_GROUPS_CLAIM.`,
  groups_replaced: `The identity provider left out the groups because there are too many (in Entra ID, more than 200), ${STAY}. The operator can let it send only the groups that are assigned to Tearsheet.`,
  groups_malformed: `The claim with the groups is neither a list nor a text, ${STAY}. The operator can set OIDC_GROUPS_CLAIM to a claim that lists names.`,
} as const;
export type UnknownGroups = keyof typeof UNKNOWN_GROUPS;
