import type { Express, RequestHandler } from 'express';
import { Failure } from '../../domain/failure.ts';

type Handlers = Partial<Readonly<Record<'get' | 'post', RequestHandler>>>;

/** Serves the methods of a path, OPTIONS, and 405 with `Allow` for all other methods. A GET handler also serves HEAD. */
export function route(app: Pick<Express, 'route'>, path: string, handlers: Handlers): void {
  const routed = app.route(path);
  if (handlers.get !== undefined) routed.get(handlers.get);
  if (handlers.post !== undefined) routed.post(handlers.post);
  const allowed = [...(handlers.get ? ['GET', 'HEAD'] : []), ...(handlers.post ? ['POST'] : []), 'OPTIONS'].join(', ');
  routed.all((request, response) => {
    if (request.method === 'OPTIONS') {
      response.status(204).set('Allow', allowed).end();
      return;
    }
    throw new Failure({
      status: 405,
      code: 'method_not_allowed',
      errors: { method: [`${request.method} is not allowed here: use one of ${allowed}.`] },
      headers: { Allow: allowed },
    });
  });
}
