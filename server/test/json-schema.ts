/** Checks documents by a JSON Schema. */
import Fastify from 'fastify';

/**
 * The validator that comes with fastify, set to change nothing.
 *
 * @returns says what is wrong with a document, one line for each mistake with its place
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
