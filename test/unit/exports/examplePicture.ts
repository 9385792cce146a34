import type { ExportPicture } from '../../../src/core/exports/exportContent.ts';

export const examplePicture: ExportPicture = {
  id: '00000000-0000-4000-8000-000000000001',
  retake_of: null,
  number: 1,
  site_url: 'https://www.news.example/',
  final_url: 'https://www.news.example/politics',
  device: 'iphone',
  ratio: 3,
  marker_ms: null,
  captured_at: new Date('2026-11-21T09:30:05Z'),
  ad_id: '00000000-0000-4000-8000-000000000002',
  ad_name: 'Spring sale',
  ad_width: 300,
  ad_height: 250,
  artifact_key: 'p.png',
  webp_key: null,
  gif_key: null,
  slot_uncertain: false,
  sha256: 'ab',
  width: 1_170,
  height: 2_532,
};
