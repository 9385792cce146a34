import { z } from 'zod';
import { withoutWrappers } from '../../contract/faults.ts';

interface FieldLimits {
  readonly isRequired: boolean;
  /** For the length of a text. */
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  /** For a number. */
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
}

/** @returns the limits that the schema of an object sets for the field at a path such as `rule.cron`; none for an unknown path. */
export function limitsOf(schema: unknown, path: string): FieldLimits {
  const [name = '', ...rest] = path.split('.');
  const object = withoutWrappers(schema);
  const part: unknown = object instanceof z.ZodObject ? object.shape[name] : undefined;
  if (!(part instanceof z.ZodType)) return { isRequired: false };
  const isRequired = !part.safeParse(undefined).success;
  if (rest.length > 0) {
    const inner = limitsOf(part, rest.join('.'));
    return { ...inner, isRequired: isRequired && inner.isRequired };
  }
  const { anyOf = [], ...own } = z.toJSONSchema(part, { io: 'input', unrepresentable: 'any' });
  // A field that may be null has its limits beside null or around both.
  const { minLength, maxLength, minimum, maximum } = { ...anyOf.find(({ type }) => type !== 'null'), ...own };
  return { isRequired, min: minLength, max: maxLength, minimum, maximum };
}
