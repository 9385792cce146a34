import { type Schema, textOf } from './apiDocument.ts';

/** Python types for schemas. An object without a name of its own gets a class with the name of its place. */
export class PythonTypes {
  readonly #definitions = new Map<string, string>();

  /** Defines the type `name`. */
  define(name: string, schema: Schema): void {
    if (isClass(schema)) {
      this.#defineClass(name, schema);
      return;
    }
    this.#definitions.set(name, '');
    const text = textOf(schema.description);
    this.#definitions.set(name, `${text === '' ? '' : `# ${text}\n`}${name} = ${this.typeOf(schema, name)}\n`);
  }

  /** @param place the name of a class that this needs. */
  typeOf(schema: Schema, place: string): string {
    if (schema.$ref !== undefined) return `"${schema.$ref.split('/').at(-1)}"`;
    if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`;
    if (schema.enum !== undefined) return `Literal[${schema.enum.map(literal).join(', ')}]`;
    if (isClass(schema)) {
      this.#defineClass(place, schema);
      return `"${place}"`;
    }
    const choices = schema.properties === undefined ? (schema.anyOf ?? schema.oneOf) : undefined;
    if (choices !== undefined) return this.#choice(choices, place);
    const types = schema.type === undefined ? [] : [schema.type].flat();
    return this.union(types.map((type) => this.#simpleType(type, schema, place))) || 'Any';
  }

  union(types: readonly string[]): string {
    const distinct = [...new Set(types)];
    return distinct.length > 1 ? `Union[${distinct.join(', ')}]` : (distinct[0] ?? '');
  }

  names(): string[] {
    return [...this.#definitions.keys()].sort();
  }

  text(): string {
    return [...this.#definitions.values()].join('\n\n');
  }

  #choice(choices: readonly Schema[], place: string): string {
    const classes = choices.filter(isClass).length;
    return this.union(choices.map((each, at) => this.typeOf(each, classes > 1 ? `${place}${at + 1}` : place)));
  }

  #simpleType(type: string, { items, additionalProperties }: Schema, place: string): string {
    if (type === 'array') return `List[${items ? this.typeOf(items, `${place}Item`) : 'Any'}]`;
    if (type === 'object') {
      const isMap = typeof additionalProperties === 'object';
      return `Dict[str, ${isMap ? this.typeOf(additionalProperties, `${place}Value`) : 'Any'}]`;
    }
    return { string: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None' }[type] ?? 'Any';
  }

  /** Python 3.9 has no `NotRequired`, so required fields are in a class of their own. */
  #defineClass(name: string, { properties = {}, required = [], description }: Schema): void {
    if (this.#definitions.has(name)) throw new Error(`Two Python models have the name ${name}: give one an id.`);
    this.#definitions.set(name, '');
    const fields = Object.entries(properties).map(([key, schema]) => {
      const text = textOf(schema.description);
      const type = this.typeOf(schema, `${name}${pascalCase(key)}`);
      return {
        isRequired: required.includes(key),
        line: `${text === '' ? '' : `    # ${text}\n`}    ${key}: ${type}\n`,
      };
    });
    const lines = (isRequired: boolean) =>
      fields
        .filter((field) => field.isRequired === isRequired)
        .map(({ line }) => line)
        .join('');
    const doc = textOf(description) === '' ? '' : `    ${JSON.stringify(textOf(description))}\n\n`;
    const [needed, others] = [lines(true), lines(false)];
    const base = needed === '' ? 'TypedDict' : `_${name}`;
    const text =
      others === ''
        ? `class ${name}(TypedDict):\n${doc}${needed || '    pass\n'}`
        : `${needed === '' ? '' : `class _${name}(TypedDict):\n${needed}\n\n`}class ${name}(${base}, total=False):\n${doc}${others}`;
    this.#definitions.set(name, text);
  }
}

/** Only names that Python accepts can be fields of a class. */
function isClass({ properties, $ref }: Schema): boolean {
  return $ref === undefined && properties !== undefined && Object.keys(properties).every((key) => isField(key));
}

function isField(key: string): boolean {
  return /^[a-z_]\w*$/i.test(key) && !['from', 'class', 'global', 'import', 'in', 'is', 'not', 'pass'].includes(key);
}

function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function literal(value: unknown): string {
  if (value === null) return 'None';
  return typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value);
}
