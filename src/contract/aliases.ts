import { z } from 'zod';
import { Model } from './models.ts';

/** Other names that clients use for a model, such as the ones that an older service had. */
export type ModelAliases = Readonly<Record<string, Model>>;

/** `MODEL_ALIASES`: a JSON object from another name to a model of the interface. */
export const ModelAliases = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: 'custom', message: 'must be a JSON object: other name to model' });
      return z.NEVER;
    }
  })
  .pipe(
    z.record(
      z.string().min(1, 'has an empty name'),
      z.enum(Model.options, { error: `must be one of ${Model.options.join(', ')}` }),
      { error: 'must be a JSON object: other name to model' },
    ),
  );

/** The model that a name stands for; a name that is no alias as it is. */
export function unalias<T>(name: T, aliases: ModelAliases): T | Model {
  return (typeof name === 'string' && Object.hasOwn(aliases, name) && aliases[name]) || name;
}
