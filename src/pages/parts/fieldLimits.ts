import { z } from 'zod';
import { withoutWrappers } from '../../contract/faults.ts';

interface FieldLimits extends Pick<z.core.JSONSchema.JSONSchema, 'minLength' | 'maxLength' | 'minimum' | 'maximum'> {
  readonly isRequired: boolean;
}

/** @returns the limits that the schema of an object sets for a path such as `rule.cron`; none for an unknown path. */
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
  const [only, ...others] = anyOf.filter(({ type }) => type !== 'null');
  return { ...(others.length === 0 && only), ...own, isRequired };
}
