/** Validates documents against a JSON Schema. */
import Fastify from 'fastify';

/**
 * Compiles the validator that comes with fastify, without coercion or defaults.
 * @returns a function that lists the mistakes of a document, one line each with its location
 */
export async function compileSchema(schema: object): Promise<(document: unknown) => string[]> {
  const app = Fastify({
    ajv: {
      customOptions: { allErrors: true, coerceTypes: false, removeAdditional: false, useDefaults: false },
    },
  });
  let misfitsOf: ((document: unknown) => string[]) | undefined;
  app.get('/', (request) => {
    const fits = request.compileValidationSchema(schema);
    misfitsOf = (document) =>
      fits(document)
        ? []
        : (fits.errors ?? []).map(({ instancePath, message }) => `$${instancePath}: ${message}`);
    return {};
  });
  await app.inject('/');
  await app.close();
  if (!misfitsOf) throw new Error('The schema was not compiled.');
  return misfitsOf;
}
