import type { Express, RequestHandler } from 'express';
import { Failure } from '../../domain/failure.ts';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
type Handlers = Partial<Readonly<Record<(typeof METHODS)[number], RequestHandler>>>;

/** Serves the methods of a path, OPTIONS, and 405 with `Allow` for all other methods. A GET handler also serves HEAD. */
export function route(app: Pick<Express, 'route'>, path: string, handlers: Handlers): void {
  const routed = app.route(path);
  const served: string[] = [];
  for (const method of METHODS) {
    const handler = handlers[method];
    if (handler === undefined) continue;
    routed[method](handler);
    served.push(...(method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));
  }
  const allowed = [...served, 'OPTIONS'].join(', ');
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
