/**
 * The floor of the acceptance benchmark: express and pg, without validation, authentication or contract. It inserts the same
 * rows as an accepted create-ad (ad, subscriber, queue job) in one transaction, and answers 201.
 * Run as: node bareServer.ts DATABASE_URL ORGANIZATION_ID CAMPAIGN_ID; prints its address.
 */
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import express from 'express';
import pg from 'pg';

const [url = '', organization = '', campaign = ''] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: 10 });

interface Body {
  ad: { name: string; lookup_key: string; media: { type: string; content: string } };
  subscribers: { webhook: { url: string } }[];
}

const app = express();
app.use(express.json({ limit: '32mb' }));
app.post('/ads', async (request, response) => {
  const { ad, subscribers } = request.body as Body;
  const id = randomUUID();
  const client = await pool.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query(
      `insert into ads (id, organization_id, campaign_id, lookup_key, name, kind, content, source)
       values ($1, $2, $3, $4, $5, $6, $7, 'create_ad') returning id, name, status, created_at`,
      [id, organization, campaign, ad.lookup_key, ad.name, ad.media.type, ad.media.content],
    );
    await client.query(
      'insert into subscribers (id, organization_id, ad_id, seq, webhook_url) values ($1, $2, $3, 0, $4)',
      [randomUUID(), organization, id, subscribers[0]?.webhook.url],
    );
    await client.query(`insert into pgboss.job (name, data) values ('launch', $1)`, [
      { organization_id: organization },
    ]);
    await client.query('commit');
    response.status(201).json(rows[0]);
  } catch (error) {
    await client.query('rollback');
    response.status(500).json({ error: String(error) });
  } finally {
    client.release();
  }
});
const server = app.listen(0, '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
