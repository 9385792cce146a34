import { IN_PAGE_SIZES } from '../../domain/adSizes.ts';

/**
 * Ad slots on the web: the markup of ad networks and plug-ins, ad words in many languages, and names of
 * positions with their sizes. The search for slots in `inPage/` gets this table as its argument. Each row names its source.
 */

/**
 * `display`: holds a display ad. `anchor`, `rail`, `interstitial` and `skin` lie outside of the page's layout and take only ads of
 * their formats. `native`, `video` and `none` (counters, out-of-page formats, sponsor logos) never hold a display ad.
 */
export type SlotKind = 'display' | 'anchor' | 'rail' | 'interstitial' | 'skin' | 'native' | 'video' | 'none';

/** Where a page with this markup states the sizes. `name`: in the name of the position, see `sizes`. */
type SizeSource = 'script' | 'attribute' | 'style' | 'comment' | 'name' | 'content';

/** Sizes as `300x250 336x280`. */
type Sizes = string;

export interface NetworkRow {
  readonly name: string;
  readonly kind: SlotKind;
  /** Elements that hold the ad. */
  readonly selectors: readonly string[];
  /** Text of an inline script that prints the ad where it stands. */
  readonly inlineScript?: string;
  /** `names`: an ad script names its element; `prints`: an ad script prints where it stands. See {@link AdScriptPatterns}. */
  readonly adScript?: 'names' | 'prints';
  readonly sizesFrom: readonly SizeSource[];
  /** A pattern for the names of the element (id, classes, values of attributes), and the sizes of that position. The first match counts. */
  readonly sizes?: Readonly<Record<string, Sizes>>;
  /** The markup is meant for these devices only. */
  readonly device?: 'phone' | 'desktop';
  readonly source: string;
}

export interface PositionRow {
  /** A pattern for the words of a name, joined with hyphens. */
  readonly pattern: string;
  readonly kind: SlotKind;
  readonly sizes?: Sizes;
  /** Sizes on phones, where they differ. */
  readonly phone?: Sizes;
  readonly source: string;
}

export interface SlotTable {
  readonly networks: readonly NetworkRow[];
  readonly words: Readonly<Record<'ad' | 'perhaps' | 'position' | 'never' | 'notAlone' | 'widget', string>>;
  /** Words that mean an ad in one language and something else in others, by the language's code. They also mean small ads. */
  readonly adWordsOf: Readonly<Record<string, string>>;
  readonly labels: string;
  readonly positions: readonly PositionRow[];
  readonly standardSizes: Sizes;
  readonly adScripts: AdScriptPatterns;
}

/** How the scripts of ad servers that no row names are recognized. Patterns in lower case. */
export interface AdScriptPatterns {
  /** Code that speaks of ads. */
  readonly code: string;
  /** The address of a script that prints one ad. */
  readonly source: string;
  /** A comment that introduces an ad tag. */
  readonly comment: string;
}

const LEADERBOARDS = '728x90 970x90 970x250';
const IN_TEXT = '300x250 336x280 728x90';
const PHONE_BANNERS = '320x50 320x100 300x50 300x100';

const NETWORKS: readonly NetworkRow[] = [
  {
    name: 'Google Publisher Tag',
    kind: 'display',
    selectors: ['[id^="div-gpt-ad"]', '[data-google-query-id]', '[id^="gpt-ad-"]'],
    sizesFrom: ['script', 'style'],
    source: 'github.com/googleads/google-publisher-tag-samples, ad-sizes and collapse-empty-ad-slots',
  },
  {
    name: 'GPT anchor',
    kind: 'anchor',
    selectors: ['ins[data-anchor-status]', 'ins[data-anchor-shown]', '[id^="gpt_unit_"][id*="anchor"]'],
    sizesFrom: ['name'],
    sizes: { '': '320x50 320x100 300x50 728x90 970x90' },
    source: 'github.com/googleads/google-publisher-tag-samples, display-anchor-ad',
  },
  {
    name: 'GPT side rail',
    kind: 'rail',
    selectors: ['ins[data-side-rail-status]'],
    sizesFrom: ['name'],
    sizes: { '': '160x600 300x600' },
    source: 'developers.google.com/publisher-tag/samples/display-side-rail-ad',
  },
  {
    name: 'GPT interstitial and vignette',
    kind: 'interstitial',
    selectors: ['ins[data-vignette-loaded]', '[id^="gpt_unit_"][id*="interstitial"]'],
    sizesFrom: ['name'],
    sizes: { '': '300x250 320x480 336x280' },
    source: 'github.com/googleads/google-publisher-tag-samples, display-web-interstitial-ad',
  },
  {
    name: 'Out-of-page slots',
    kind: 'none',
    selectors: [
      '[id$="-oop"]',
      '[id$="_oop"]',
      '[id$="OOP"]',
      '[id*="outofpage" i]',
      '[id*="-exposer-"]',
      '[id*="-1x1"]',
    ],
    sizesFrom: [],
    source: 'support.google.com/admanager, out-of-page line items',
  },
  {
    name: 'AdSense',
    kind: 'display',
    selectors: ['ins.adsbygoogle', 'ins[data-ad-client][data-ad-slot]', '.google-auto-placed'],
    sizesFrom: ['style', 'attribute'],
    sizes: {
      'data-ad-format-horizontal': `${LEADERBOARDS} 468x60 320x50 320x100`,
      'data-ad-format-vertical': '160x600 300x600 120x600',
      'data-ad-format-rectangle': '300x250 336x280 250x250',
    },
    source: 'support.google.com/adsense/answer/9183460',
  },
  {
    name: 'AdSense matched content',
    kind: 'native',
    selectors: ['ins.adsbygoogle[data-ad-format="autorelaxed"]'],
    sizesFrom: [],
    source: 'support.google.com/adsense/answer/7533385',
  },
  {
    name: 'AdSense show_ads.js',
    kind: 'display',
    selectors: ['[id^="google_ads_div_"]'],
    inlineScript: 'google_ad_width',
    sizesFrom: ['script'],
    source: 'gist.github.com/nucklearproject/4233314',
  },
  {
    name: 'Google Ad Manager, GA_googleFillSlot',
    kind: 'display',
    selectors: [],
    inlineScript: 'GA_googleFillSlot',
    sizesFrom: ['script'],
    source: 'support.google.com/admanager, legacy tags',
  },
  {
    name: 'AMP ad',
    kind: 'display',
    selectors: ['amp-ad'],
    sizesFrom: ['attribute'],
    source: 'github.com/ampproject/amphtml, extensions/amp-ad/amp-ad.md',
  },
  {
    name: 'AMP sticky ad',
    kind: 'anchor',
    selectors: ['amp-sticky-ad', 'amp-sticky-ad > amp-ad', 'amp-ad[sticky]'],
    sizesFrom: ['attribute'],
    sizes: { '': '320x50 320x100 300x50' },
    source: 'github.com/ampproject/amphtml, extensions/amp-sticky-ad/amp-sticky-ad.md',
  },
  {
    name: 'AMP native and automatic ads',
    kind: 'native',
    selectors: [
      'amp-embed',
      'amp-auto-ads',
      'amp-story-auto-ads',
      'amp-ad[type="taboola"]',
      'amp-ad[type="outbrain"]',
      'amp-ad[type="mgid"]',
      'amp-ad[type="revcontent"]',
      'amp-ad[type="dianomi"]',
      'amp-ad[type="zergnet"]',
    ],
    sizesFrom: [],
    source: 'github.com/ampproject/amphtml, extensions/amp-ad/amp-embed.md',
  },
  {
    name: 'Revive Adserver',
    kind: 'display',
    selectors: ['[data-revive-zoneid]', 'ins[data-zoneid]', 'iframe[src*="/afr.php"]', 'iframe[src*="/delivery/afr"]'],
    inlineScript: '/ajs.php',
    sizesFrom: ['comment', 'name', 'attribute'],
    source: 'gist.github.com/carljdp/12a2c96afc2e559f4a9ecb7bc9985bd1',
  },
  {
    name: 'OpenX',
    kind: 'display',
    selectors: ['.open_x_ad', '[id^="open_x_ad_unit_"]'],
    sizesFrom: ['name'],
    sizes: { leaderboard: LEADERBOARDS },
    source: 'pages of sbnation.com',
  },
  {
    name: 'Broadstreet',
    kind: 'display',
    selectors: ['broadstreet-zone', 'broadstreet-zone-container', '.broadstreet-zone-container'],
    sizesFrom: ['name'],
    source: 'pages of bklyner.com',
  },
  {
    name: 'AdButler',
    kind: 'display',
    selectors: ['[id^="placement_"]:not(img)', '[data-plc]'],
    inlineScript: 'AdButler.register',
    sizesFrom: ['script'],
    source: 'adbutler.com/help, asynchronous zone tags',
  },
  {
    name: 'Kevel (Adzerk)',
    kind: 'display',
    selectors: ['[id^="azk"]', '[id^="adzerk"]'],
    sizesFrom: ['script', 'name'],
    source: 'dev.kevel.com, ados.js reference',
  },
  {
    name: 'Ad Inserter (WordPress)',
    kind: 'display',
    selectors: [
      '.code-block[class*="code-block-1"]:not([class*="--"])',
      '.code-block.ai-viewports',
      '.ai-viewports[class*="ai-viewport-"]',
    ],
    sizesFrom: ['content'],
    source: 'wordpress.org/plugins/ad-inserter',
  },
  {
    name: 'AdRotate (WordPress)',
    kind: 'display',
    selectors: [
      '.g > [class*="g-single"]',
      '.a-single[class*=" a-"]',
      '[id^="ajdg_grpwidgets"]',
      '[id^="ajdg_bnnrwidgets"]',
    ],
    sizesFrom: ['content', 'style'],
    source: 'wordpress.org/plugins/adrotate',
  },
  {
    name: 'Advanced Ads (WordPress)',
    kind: 'display',
    selectors: ['[class*="advads-"]', '[id^="advads-"]', '[data-advads-trackid]'],
    sizesFrom: ['content', 'style'],
    source: 'wordpress.org/plugins/advanced-ads',
  },
  {
    name: 'JNews theme',
    kind: 'display',
    selectors: ['.jeg_ad', '.jnews_content_inline_ads'],
    sizesFrom: ['name'],
    sizes: { 'jeg-ad-top|jeg-header': LEADERBOARDS, 'jeg-ad-(article|content|inline)': IN_TEXT },
    source: 'support.jegtheme.com, JNews advertisement options',
  },
  {
    name: 'Adace (Bimber theme)',
    kind: 'display',
    selectors: ['.adace-slot-wrapper', '.adace-slot', '[class*="adace_ad_"]'],
    sizesFrom: ['content', 'style', 'name'],
    sizes: {
      '(before|after)-header|home-before|theme-area': `${LEADERBOARDS} 320x50 320x100`,
      '(content|paragraph)': IN_TEXT,
    },
    source: 'templates of the Adace plug-in, standard slot',
  },
  {
    name: 'WP QUADS',
    kind: 'display',
    selectors: ['.quads-location', '[id^="quads-ad"]', '.quads-ad'],
    sizesFrom: ['content', 'style'],
    source: 'wordpress.org/plugins/quick-adsense-reloaded',
  },
  {
    name: 'AdSanity (WordPress)',
    kind: 'display',
    selectors: ['.adsanity-shortcode', '.adsanity-inner', '[class*="adsanity-"]'],
    sizesFrom: ['name', 'content'],
    source: 'adsanity.com documentation',
  },
  {
    name: 'Newspaper theme (tagDiv)',
    kind: 'display',
    selectors: ['.td-a-rec', '.td-a-ad'],
    sizesFrom: ['name', 'content'],
    sizes: {
      'td-a-rec-id-header': '728x90 970x90 468x60',
      'td-a-rec-id-sidebar': '300x250 336x280 300x600',
      'td-a-rec-id-content-(top|bottom)': `${IN_TEXT} 468x60`,
      'td-a-rec-id-content-inline': `${IN_TEXT} 468x60`,
      'td-a-rec-id-custom': IN_TEXT,
    },
    source: 'forum.tagdiv.com, Newspaper advertising guide',
  },
  {
    name: 'Raptive (AdThrive)',
    kind: 'display',
    selectors: ['.adthrive-ad', '[id^="AdThrive_"]'],
    sizesFrom: ['name', 'style'],
    sizes: {
      'adthrive-content': `${IN_TEXT} 320x50 320x100`,
      'adthrive-sidebar': '300x250 300x600 160x600',
      'adthrive-header': `${LEADERBOARDS} 320x50`,
      'adthrive-recipe': '300x250 320x250 320x50',
      'adthrive-below-post': `${IN_TEXT} 970x250 320x50`,
    },
    source: 'pages of color-meanings.com',
  },
  {
    name: 'Raptive (AdThrive) footer',
    kind: 'anchor',
    selectors: ['.adthrive-footer', '[id^="AdThrive_Footer"]', '.adthrive-sticky'],
    sizesFrom: ['name'],
    sizes: { '': '728x90 970x90 320x50' },
    source: 'pages of color-meanings.com',
  },
  {
    name: 'Raptive (AdThrive) player',
    kind: 'video',
    selectors: ['.adthrive-player-container', '.adthrive-video-player', '[id^="AdThrive_Player"]'],
    sizesFrom: [],
    source: 'pages of color-meanings.com',
  },
  {
    name: 'Mediavine',
    kind: 'display',
    selectors: [
      '.mv_slot_target',
      '.mv-ad-box',
      '[data-mediavine-slot]',
      '[id^="mediavine-"]',
      '.adunitwrapper',
      '.adunitwrapper .adunit',
    ],
    sizesFrom: ['attribute', 'name'],
    sizes: {
      'sidebar-atf': '300x250',
      'sidebar-btf': '300x600 160x600 300x250',
      leaderboard: '728x90 970x250',
      '(content|recipe|feed|arrival)': `${IN_TEXT} 320x50 320x100`,
    },
    source: 'github.com/mediavine/mediavine-create',
  },
  {
    name: 'Mediavine adhesion',
    kind: 'anchor',
    selectors: ['[id^="adhesion_"]', '[data-slotid^="adhesion"]'],
    sizesFrom: ['name'],
    sizes: { '': '320x50 728x90' },
    source: 'github.com/mediavine/mediavine-create',
  },
  {
    name: 'Ezoic',
    kind: 'display',
    selectors: [
      '[id^="ezoic-pub-ad-placeholder-"]',
      '.ezoic-ad',
      '[ezaw][ezah]',
      '[data-ez-name]',
      '.ezoic-autoinsert-ad',
    ],
    sizesFrom: ['attribute', 'style', 'comment', 'name'],
    sizes: {
      'narrow-sky': '160x600',
      'large-billboard': '970x250',
      'large-leaderboard': LEADERBOARDS,
      'small-square': '250x250',
      medrectangle: '336x280 300x250 728x90 580x400',
      '-box': '300x250 580x400 336x280',
      'leader|banner': '728x90 468x60 970x90 300x250',
    },
    source: 'pages of linuxize.com and stickyball.net',
  },
  {
    name: 'Carbon Ads',
    kind: 'native',
    selectors: ['#carbonads', '#_carbonads_js', '.carbon-wrap', '.carbonads'],
    sizesFrom: [],
    source: 'pages of semantic-ui.com and laravel.com/docs',
  },
  {
    name: 'EthicalAds',
    kind: 'native',
    selectors: ['[data-ea-publisher]'],
    sizesFrom: [],
    source: 'github.com/readthedocs/ethical-ad-client',
  },
  {
    name: 'BuySellAds',
    kind: 'display',
    selectors: ['[id^="bsa-zone_"]', '[id^="bsap_"]', '.bsap'],
    sizesFrom: ['script', 'name', 'style'],
    source: 'pages of coingecko.com',
  },
  {
    name: 'Freestar',
    kind: 'display',
    selectors: ['[data-freestar-ad]', 'freestar-ad-slot', '[id^="fs-slot"]'],
    sizesFrom: ['attribute', 'name'],
    sizes: { siderail: '300x600 160x600', leaderboard: LEADERBOARDS, incontent: '300x250 336x280' },
    source: 'npmjs.com/package/@freestar/pubfig-adslot-angular-component, pages of loremipsum.io',
  },
  {
    name: 'Playwire RAMP, desktop',
    kind: 'display',
    device: 'desktop',
    selectors: ['[data-pw-desk]'],
    sizesFrom: ['name'],
    sizes: { leaderboard: '728x90 970x90', 'med-rect': '300x250', sky: '160x600 300x600' },
    source: 'docs.playwire.com, RAMP tag placement',
  },
  {
    name: 'Playwire RAMP, phone',
    kind: 'display',
    device: 'phone',
    selectors: ['[data-pw-mobi]'],
    sizesFrom: ['name'],
    sizes: { leaderboard: '320x50 320x100', 'med-rect': '300x250' },
    source: 'docs.playwire.com, RAMP tag placement',
  },
  {
    name: 'Publift Fuse',
    kind: 'display',
    selectors: ['[data-fuse]', '[id^="fuse-slot-"]'],
    sizesFrom: ['name'],
    sizes: {
      vrec: '160x600 300x600',
      mrec: '300x250',
      'mobile-leaderboard': '320x50 320x100',
      'header|leaderboard': LEADERBOARDS,
      incontent: '300x250 336x280',
    },
    source: 'docs.publift.com, Fuse tags',
  },
  {
    name: 'Snigel AdEngine',
    kind: 'display',
    selectors: ['[id^="adngin-"]'],
    sizesFrom: ['name', 'style'],
    sizes: {
      'leaderboard.*mobile': '320x50 320x100',
      leaderboard: `${LEADERBOARDS} 320x50 320x100`,
      'mid-content': '728x90 336x280 300x250',
      side: '160x600 300x250 300x600',
      'mobile|bottom': '300x250 320x100 728x90',
    },
    source: 'pages of w3schools.com',
  },
  {
    name: 'Venatus',
    kind: 'display',
    selectors: ['.vm-placement:not([style*="display"])'],
    sizesFrom: ['name', 'style'],
    sizes: { 'hybrid-banner': '320x50 728x90 970x250' },
    source: 'pages of hltv.org',
  },
  {
    name: 'Venatus rich media',
    kind: 'none',
    selectors: ['.vm-placement[style*="display"]'],
    sizesFrom: [],
    source: 'pages of hltv.org',
  },
  {
    name: 'NitroPay',
    kind: 'display',
    selectors: ['[id^="nitro-"]', '[id^="ad-nitro-"]', '[id^="nn_"]'],
    sizesFrom: ['script'],
    source: 'api-docs.nitropay.com',
  },
  {
    name: 'Monumetric',
    kind: 'display',
    selectors: ['[id^="mmt-"]', '.mmtwrappos'],
    sizesFrom: ['comment'],
    source: 'public WordPress pages with Monumetric tags',
  },
  {
    name: 'Sortable',
    kind: 'display',
    selectors: ['.ad-tag[data-ad-name]'],
    sizesFrom: ['attribute'],
    source: 'public pages with deployads tags',
  },
  {
    name: 'Equativ (Smart AdServer)',
    kind: 'display',
    selectors: ['[id^="sas_"]', '[id^="SaS_placeholder_"]'],
    sizesFrom: ['name', 'comment'],
    source: 'help.smartadserver.com, tagging guide',
  },
  {
    name: 'Equativ (Smart AdServer) counter',
    kind: 'none',
    selectors: ['body > [id^="sas_"]:first-child', 'body > [id^="sas_"][class=""]'],
    sizesFrom: [],
    source: 'help.smartadserver.com, tagging guide: floating formats stand first in the body',
  },
  {
    name: 'Xandr seller tag',
    kind: 'display',
    selectors: ['[id^="apn_ad_slot_"]', 'iframe[src*="adnxs.com/tt?"]'],
    sizesFrom: ['script', 'attribute'],
    source: 'learn.microsoft.com/en-us/xandr/seller-tag/define-tag',
  },
  {
    name: 'Vox Concert',
    kind: 'display',
    selectors: ['.m-ad', '[data-concert-ads-name]', '.dynamic-js-slot'],
    sizesFrom: ['name'],
    sizes: {
      leaderboard: LEADERBOARDS,
      'medium-rectangle': '300x250',
      'half-page': '300x600',
      'article-body|feature-body': '728x90 300x250',
    },
    source: 'pages of theverge.com',
  },
  {
    name: 'Coinzilla',
    kind: 'display',
    selectors: ['.coinzilla[data-zone]', '[data-zone^="C-"]'],
    inlineScript: 'coinzilla_display',
    sizesFrom: ['script', 'attribute', 'comment'],
    source: 'coinzilla.com documentation, display zones',
  },
  {
    name: 'A-ADS',
    kind: 'display',
    selectors: ['iframe[data-aa]', 'iframe[src*="a-ads.com"]'],
    sizesFrom: ['attribute', 'style'],
    source: 'a-ads.com help, ad units',
  },
  {
    name: 'Adsterra',
    kind: 'display',
    selectors: [],
    inlineScript: 'atOptions',
    sizesFrom: ['script'],
    source: 'help-publishers.adsterra.com, banner codes',
  },
  {
    name: 'The Moneytizer',
    kind: 'display',
    selectors: [],
    inlineScript: 'requestform.js?siteId',
    sizesFrom: ['name'],
    sizes: {
      '\\d-1$': '728x90',
      '\\d-(2|19)$': '300x250',
      '\\d-3$': '300x600',
      '\\d-4$': '160x600',
      '\\d-6$': '320x50',
      '\\d-31$': '970x250',
    },
    source: 'themoneytizer.com help, ad formats',
  },
  {
    name: 'Yandex',
    kind: 'display',
    selectors: ['[id^="yandex_rtb_"]'],
    sizesFrom: ['style', 'script'],
    source: 'yandex.ru/support/partner2, RTB blocks',
  },
  {
    name: 'Adfox',
    kind: 'display',
    selectors: ['[id^="adfox_"]', '[id^="AdFox_banner_"]'],
    sizesFrom: ['comment', 'name'],
    source: 'yandex.ru/support/adfox-sites',
  },
  {
    name: 'Joomla banners',
    kind: 'display',
    selectors: ['.banneritem'],
    sizesFrom: ['content'],
    source: 'github.com/joomla/joomla-cms, modules/mod_banners',
  },
  {
    name: 'iq digital',
    kind: 'display',
    selectors: ['[id^="iqadtile"]:not([id$="OOP"])'],
    sizesFrom: ['name'],
    sizes: {
      'iqadtile-?1$': '728x90 800x250 970x250',
      'iqadtile-?2$': '160x600 120x600 300x600',
      'iqadtile-?3$': '300x250 300x600',
      'iqadtile-?(4|5|8|9)$': '300x250',
    },
    source: 'pages of zeit.de and handelsblatt.com',
  },
  {
    name: 'Ströer',
    kind: 'display',
    selectors: ['[id^="sdgSlotContainer"]', '[id^="strnads"]'],
    sizesFrom: ['script', 'name'],
    sizes: {
      topmobile: '320x50 320x100 300x150',
      banner: '728x90 800x250 970x250',
      sky: '160x600 120x600',
      rectangle: '300x250',
      posterad: '300x600',
    },
    source: 'public pages with SDG.Publisher',
  },
  {
    name: 'i-mobile',
    kind: 'display',
    selectors: [
      '[id^="imobile_adspotdiv"]',
      '[class^="imobile_adspot"]',
      'div[id^="im-"]:has(+ script[src*="imobile"])',
    ],
    sizesFrom: ['script', 'content'],
    source: 'www2.i-mobile.co.jp, publisher tags',
  },
  {
    name: 'Media Impact (adSolution)',
    kind: 'display',
    selectors: [
      '#superbanner',
      '#sky',
      '#billboard',
      '#mrec',
      '[id^="mrec_btf"]',
      '[id^="billboard_btf"]',
      '[id^="banner_btf"]',
    ],
    sizesFrom: ['script', 'name'],
    source: 'github.com/CDPAdSolution/adSolution-Reference',
  },
  {
    name: 'Media Impact (adSolution) in-page video',
    kind: 'video',
    selectors: ['#inpage'],
    sizesFrom: [],
    source: 'github.com/CDPAdSolution/adSolution-Reference',
  },
  {
    name: 'The Guardian',
    kind: 'display',
    selectors: ['.js-ad-slot', '[id^="dfp-ad--"]'],
    sizesFrom: ['attribute'],
    sizes: { 'top-above-nav': LEADERBOARDS, right: '300x250 300x600', inline: '300x250', 'mobile-sticky': '320x50' },
    source: 'github.com/guardian/frontend, commercial slots',
  },
  {
    name: 'Sponsor logos',
    kind: 'none',
    selectors: ['[id*="sponsor-logo" i]', '[class*="sponsor-logo" i]', '[class*="sponsorLogo"]'],
    sizesFrom: [],
    source: 'github.com/guardian/frontend, sponsored badges',
  },
  {
    name: 'htlbid',
    kind: 'display',
    selectors: ['[class*="htlad-"]:not([class*="skin"])', '.htl-ad:not([data-unit*="skin"])'],
    sizesFrom: ['attribute', 'name'],
    sizes: { leaderboard: LEADERBOARDS, rectangle: '300x250', midpage: '728x90 970x250' },
    source: 'pages of gothamist.com',
  },
  {
    name: 'htlbid skin',
    kind: 'skin',
    selectors: ['[class*="htlad-"][class*="skin"]'],
    sizesFrom: [],
    source: 'pages of gothamist.com',
  },
  {
    name: 'Kakao AdFit',
    kind: 'display',
    selectors: ['ins.kakao_ad_area', 'ins[data-ad-unit^="DAN-"]'],
    sizesFrom: ['attribute'],
    source: 'adfit.github.io, web SDK',
  },
  {
    name: 'VK (myTarget)',
    kind: 'display',
    selectors: ['ins.mrg-tag'],
    sizesFrom: ['style'],
    source: 'target.my.com/help/partners, web tags',
  },
  {
    name: 'Seznam SSP',
    kind: 'display',
    selectors: ['[id^="ssp-zone-"]', '.ssp-ad-container'],
    sizesFrom: ['script'],
    source: 'partner.seznam.cz, sssp.getAds',
  },
  {
    name: 'Adnuntius',
    kind: 'display',
    selectors: ['[id^="adn-0"]'],
    sizesFrom: ['script', 'name'],
    source: 'docs.adnuntius.com, adn.js',
  },
  {
    name: 'XenForo Siropu Ads Manager',
    kind: 'display',
    selectors: ['.samBannerUnit', '.samCodeUnit', '[data-xf-init="sam-unit"]'],
    sizesFrom: ['content'],
    source: 'xenforo.com/community/resources/ads-manager-2-by-siropu',
  },
  {
    name: 'Jannah and Sahifa themes (TieLabs)',
    kind: 'display',
    selectors: [
      '.stream-item:not([class*="compact"]):not([class*="--"]):not([class*="-type-"])',
      '.stream-item-widget',
    ],
    sizesFrom: ['name', 'content'],
    sizes: {
      'stream-item-(above-post|below-post|top|above-footer|below-header|above-header|below)': `${LEADERBOARDS} 468x60`,
      'stream-item-(in-post|inline)': IN_TEXT,
      'stream-item-(widget|size)': '300x250 336x280 300x600',
    },
    source: 'jannah.helpscoutdocs.com, advertisement settings',
  },
  {
    name: 'Better Ads (Publisher theme)',
    kind: 'display',
    selectors: ['.bsac', '.bsac-container'],
    sizesFrom: ['content'],
    source: 'betterstudio.com, Better Ads Manager',
  },
  {
    name: 'jquery.dfp',
    kind: 'display',
    selectors: ['[data-dimensions]', '.adunit[data-adunit]', '[data-size-mapping]'],
    sizesFrom: ['attribute', 'name'],
    sizes: {
      'leaderboard.*mobile|mobile.*leaderboard': '320x50 320x100',
      leaderboard: '728x90 970x90',
      medrec: '300x250',
    },
    source: 'github.com/coop182/jquery.dfp.js',
  },
  {
    name: 'Optidigital',
    kind: 'display',
    selectors: ['[id^="optidigital-adslot"]'],
    sizesFrom: ['name', 'style'],
    sizes: {
      'mobile-pos|mobile': '300x250 320x100 320x50 336x280',
      billboard: '970x250 728x90 970x90',
      halfpage: '300x600 160x600 300x250',
      content: '300x250 728x90 336x280',
    },
    source: 'docs.optidigital.com',
  },
  {
    name: 'Drupal DFP module',
    kind: 'display',
    selectors: ['[id^="js-dfp-tag-"]'],
    sizesFrom: ['script', 'name'],
    source: 'drupal.org/project/dfp',
  },
  {
    name: 'WordAds (Jetpack)',
    kind: 'display',
    selectors: ['.wpa', '[id^="atatags-"]', '.wordads-ad-wrapper'],
    sizesFrom: ['style', 'script', 'name'],
    sizes: { wpmrec: '300x250', wpwidesky: '160x600', 'wpldr|wpleaderboard': '728x90' },
    source: 'github.com/Automattic/jetpack, modules/wordads',
  },
  {
    name: 'AdOcean (Gemius)',
    kind: 'display',
    selectors: ['div[id^="adocean"]'],
    sizesFrom: ['comment', 'name'],
    source: 'pages of blitz.bg',
  },
  {
    name: 'Adition',
    kind: 'display',
    selectors: ['[id^="adition"]', '.adition'],
    inlineScript: 'adition.com/',
    sizesFrom: ['comment', 'script', 'style'],
    source: 'adition.com, JavaScript tags',
  },
  {
    name: 'Media.net',
    kind: 'display',
    selectors: ['[id^="_mN_"]'],
    inlineScript: 'medianet_width',
    sizesFrom: ['script'],
    source: 'support.media.net, ad tags',
  },
  {
    name: 'ADning (WP PRO Advertising System)',
    kind: 'display',
    selectors: ['.paszone_container', '[id^="paszonecont_"]', '.wppaszone'],
    sizesFrom: ['style'],
    source: 'codecanyon.net/item/wp-pro-advertising-system',
  },
  {
    name: 'Sites with a data-sizes attribute',
    kind: 'display',
    selectors: [
      '.adslot[data-sizes]',
      '[data-sizes][data-dfp]',
      '[data-ad-sizes]',
      '[data-ad-size]',
      '[data-dfp-sizes]',
    ],
    sizesFrom: ['attribute'],
    source: 'pages of maisonbrico.com',
  },
  {
    name: 'Fomantic UI ad view',
    kind: 'display',
    selectors: ['.ui.ad'],
    sizesFrom: ['name'],
    sizes: {
      'medium-rectangle': '300x250',
      'large-rectangle': '336x280',
      'vertical-rectangle': '240x400',
      'small-rectangle': '180x150',
      'half-page': '300x600',
      'wide-skyscraper': '160x600',
      skyscraper: '120x600',
      'large-leaderboard': '970x90',
      leaderboard: '728x90',
      billboard: '970x250',
      panorama: '980x120',
      netboard: '580x400',
      'top-banner': '930x180',
      'half-banner': '234x60',
      'vertical-banner': '120x240',
      banner: '468x60',
    },
    source: 'fomantic-ui.com/views/advertisement.html',
  },
  {
    name: 'Setupad, SHE Media, Yieldlove, Naver',
    kind: 'display',
    selectors: [
      '[id^="stpd-"]',
      '[id^="blogherads-"]',
      '[data-yieldlove-ad]',
      '._naver_ad_area',
      '[id^="crt-"][style]',
    ],
    sizesFrom: ['script', 'style'],
    source: 'tag documentation of the networks',
  },
  {
    name: 'Ad elements',
    kind: 'display',
    selectors: ['ad-slot', 'gpt-ad', 'display-ads', 'display-ad-component', 'bsp-ad'],
    sizesFrom: ['attribute'],
    source: 'pages of news sites with custom elements',
  },
  {
    name: 'Blogger widget',
    kind: 'display',
    selectors: ['.widget.AdSense'],
    sizesFrom: ['content'],
    source: 'support.google.com/blogger, AdSense gadget',
  },
  {
    name: 'Recommendation widgets',
    kind: 'native',
    selectors: [
      '[id^="taboola-"]',
      '.trc_related_container',
      '.trc_rbox_container',
      '.OUTBRAIN',
      '[data-ob-template]',
      '[id*="ScriptRootC"]',
      '[data-type="_mgwidget"]',
      '[id^="MarketGid"]',
      '[id^="rc-widget-"]',
      '[data-rc-widget]',
      '.dianomi_context',
      '[data-dianomi-context-id]',
      '[id^="zergnet-widget"]',
      '[id^="plista"]',
      '[data-spotim-module]',
    ],
    sizesFrom: [],
    source: 'tag documentation of Taboola, Outbrain, MGID, Revcontent, Dianomi, ZergNet and plista',
  },
  {
    name: 'Amazon native ads',
    kind: 'native',
    selectors: ['[id^="amzn-assoc-ad"]', '[id^="amzn_assoc"]', '.aalb-pa-ad-unit'],
    sizesFrom: [],
    source: 'affiliate-program.amazon.com, native shopping ads',
  },
  {
    name: 'Teads',
    kind: 'video',
    selectors: ['[class*="teads-"]', '[id^="teads"]'],
    sizesFrom: [],
    source: 'support.teads.tv, inRead',
  },
  {
    name: 'Adform',
    kind: 'display',
    selectors: ['script[data-adfscript]'],
    sizesFrom: ['comment', 'name'],
    source: 'pages of evermind.fi and mestis.fi with Adform publisher tags',
  },
  {
    name: 'AdPlugg',
    kind: 'display',
    selectors: ['.adplugg-tag', '[data-adplugg-zone]'],
    sizesFrom: ['name'],
    source: 'wordpress.org/plugins/adplugg',
  },
  {
    name: 'AdSpirit',
    kind: 'display',
    selectors: ['.asm_async_creative', '[data-asm-params]'],
    sizesFrom: ['style'],
    source: 'github.com/ampproject/amphtml, ads/vendors/adspirit.js',
  },
  {
    name: 'Meks Easy Ads Widget (WordPress)',
    kind: 'display',
    selectors: ['.mks_adswidget_ul'],
    sizesFrom: ['name', 'content', 'style'],
    sizes: { 'mks-adswidget-ul-large': '300x250', 'mks-adswidget-ul-small': '125x125' },
    source: 'wordpress.org/plugins/meks-easy-ads-widget',
  },
  {
    name: 'ADS PRO (WordPress)',
    kind: 'display',
    selectors: ['.bsaProContainer', '.apPluginContainer'],
    sizesFrom: ['name', 'content'],
    source: 'codecanyon.net/item/ads-pro-plugin-multipurpose-wordpress-advertising-manager',
  },
  {
    name: 'Newspack Ads (WordPress)',
    kind: 'display',
    selectors: ['.newspack_global_ad:not(.sticky)'],
    sizesFrom: ['script', 'name'],
    source: 'github.com/Automattic/newspack-ads, includes/class-placements.php',
  },
  {
    name: 'Proper Media',
    kind: 'display',
    selectors: ['.proper-ad-unit:not(.ad-sticky)', '[id^="proper-ad-"]'],
    sizesFrom: ['name', 'style'],
    source: 'pages of mobygames.com and abovetopsecret.com',
  },
  {
    name: 'AdPushup',
    kind: 'display',
    selectors: ['._ap_apex_ad', '[id^="ADP_"]'],
    sizesFrom: ['name'],
    source: 'support.adpushup.com, Apex ad codes',
  },
  {
    name: 'Waldo, Marfeel, Yektanet and Mediaad',
    kind: 'display',
    selectors: [
      '[id^="waldo-tag-"]',
      '.mrf-adv__wrapper',
      '.mrf-adv',
      '[id^="pos-article-display-"]',
      '[id^="mediaad-"]',
    ],
    sizesFrom: ['comment', 'name'],
    source: 'pages of codingforums.com, Spanish pages with Marfeel, Persian pages with Yektanet and Mediaad',
  },
  {
    name: 'Baidu Union',
    kind: 'display',
    selectors: [],
    inlineScript: 'slotbydup',
    sizesFrom: ['script', 'name'],
    source: 'pages of csdn.net with cpro.baidustatic.com tags',
  },
  {
    name: 'nend',
    kind: 'display',
    selectors: [],
    inlineScript: 'nend_params',
    sizesFrom: ['name'],
    sizes: { '': '320x50 320x100 300x250 300x100' },
    source: 'board.nend.net, publisher tags',
  },
  {
    name: 'e-planning',
    kind: 'display',
    selectors: ['[id^="eplAdDiv"]'],
    sizesFrom: ['name'],
    source: 'e-planning.net, publisher tags',
  },
  {
    name: 'Invision Community',
    kind: 'display',
    selectors: ['.ipsAdvertisement'],
    sizesFrom: ['content', 'name'],
    source: 'invisioncommunity.com, advertisements',
  },
  {
    name: 'Networks with an ins element',
    kind: 'display',
    selectors: ['ins[class]:empty', 'ins[id]:empty', 'ins[data-zoneid]'],
    sizesFrom: ['attribute', 'style', 'comment', 'name'],
    source: 'docs.exoclick.com; tags of JuicyAds, TrafficJunky, Bitmedia and ADOP',
  },
  {
    name: 'Ad scripts that name their element',
    kind: 'display',
    selectors: [],
    adScript: 'names',
    sizesFrom: ['script', 'name'],
    source: 'learn.microsoft.com/en-us/xandr/seller-tag, docs.nitropay.com, tags of Setupad, Playwire and fluct',
  },
  {
    name: 'Ad scripts that print where they stand',
    kind: 'display',
    selectors: [],
    adScript: 'prints',
    sizesFrom: ['comment', 'attribute', 'script'],
    source: 'pages with placement tags of Xandr, AdSpeed, AdvertServe and AdGlare',
  },
];

const POSITIONS: readonly PositionRow[] = [
  {
    pattern: '(^|-)(oop|outofpage|out-of-page|exposer|tracking-?pixel|1x1|sponsor-?logo)(-|$)',
    kind: 'none',
    source: 'Ad Manager',
  },
  { pattern: '(^|-)(native-ads?|nativead|in-?feed|advertorial)(-|$)', kind: 'native', source: 'IAB native formats' },
  { pattern: '(^|-)(in-?page|in-?read|outstream|preroll|video-ad)(-|$)', kind: 'video', source: 'IAB video formats' },
  {
    pattern:
      '(^|-)(skin|skins|takeover|wallpaper|fireplace|gutter|habillage|arche|branding|brandingwall|sitebranding)(-|$)',
    kind: 'skin',
    source: 'IAB and OVK formats, skins',
  },
  {
    pattern:
      '(^|-)(interstitial|interstitiel|vignette|prestitial|intromercial|interscroller|splash|popup|pop-up|layer-ad)(-|$)',
    kind: 'interstitial',
    sizes: '300x250 336x280 640x480 480x320',
    phone: '300x250 320x480 300x600',
    source: 'IAB formats, interstitials',
  },
  {
    pattern:
      '(^|-)(adhesion|anchor-ad|ad-anchor|anchored|bottom-(sticky|anchor|rail|bar)|sticky-(footer|bottom|banner)|footer-sticky|floor-ad|catfish|mobile-sticky|stickyfooter)(-|$)',
    kind: 'anchor',
    sizes: '728x90 970x90',
    phone: '320x50 320x100 300x50',
    source: 'Better Ads Standards, sticky ads',
  },
  {
    pattern: '(half-?page|filmstrip|grand-?angle|doble-?robapaginas|poster-?ad|double-?mpu|pendon)',
    kind: 'display',
    sizes: '300x600 160x600',
    source: 'IAB half page; SRI grand angle',
  },
  {
    pattern: '(mobile-?(leader|banner|top)|top-?mobile|mobil-?panorama)',
    kind: 'display',
    sizes: '320x50 320x100',
    source: 'IAB mobile banners',
  },
  {
    pattern: '(super-?leader|large-?leader)',
    kind: 'display',
    sizes: '970x90 970x250 728x90',
    phone: PHONE_BANNERS,
    source: 'IAB super leaderboard',
  },
  {
    pattern:
      '(^|-)(super-?banner|mega-?bann?er|mega-?banniere|banniere-?haute|leader-?boards?|leader|ldb|ldr|[a-z]?lb|hrec|ban-?top|toppbanner|cintillo)(-|\\d|$)',
    kind: 'display',
    sizes: LEADERBOARDS,
    phone: PHONE_BANNERS,
    source: 'IAB leaderboard, OVK superbanner, SRI mégabannière',
  },
  {
    pattern: '(^|-)(bill-?board|big-?banner|giga|mega-?board|panorama|panoraami|jattiboksi|start-?boks)(-|\\d|$)',
    kind: 'display',
    sizes: '970x250 800x250 980x240 970x90 728x90',
    phone: '320x100 300x250 320x160',
    source: 'IAB billboard; national formats',
  },
  {
    pattern: '(wide-?sky|sky-?scraper|skyskraper|rascacielos|arranha-?ceu|vrec|(^|-)(sky|tower)(-|\\d|$))',
    kind: 'display',
    sizes: '160x600 120x600 300x600',
    source: 'IAB skyscraper',
  },
  { pattern: '(large-?rect)', kind: 'display', sizes: '336x280 300x250', source: 'IAB large rectangle' },
  {
    pattern: '(^|-)(m-?pu|m-?rec|med-?rect?|medium-?rect(angle)?|l-?rec|pave|big-?box)(-|\\d|$)',
    kind: 'display',
    sizes: '300x250',
    source: 'IAB medium rectangle, SRI pavé',
  },
  {
    pattern:
      '(^|-)(rectangle|rect|roba-?paginas|roba|box-?ad|island|content-?ad|retangulo|boxad|rektangel|square|carre)(-|\\d|$)',
    kind: 'display',
    sizes: '300x250 336x280 250x250',
    phone: '300x250 336x280 250x250 320x100',
    source: 'IAB rectangles, robapáginas',
  },
  { pattern: '(^|-)(full-?banner)(-|\\d|$)', kind: 'display', sizes: '468x60', source: 'IAB full banner' },
  {
    pattern: '(side-?rail|side-?bar|right-?(rail|col|column)|(^|-)(side|rail|sidebar|right)(-|\\d|$))',
    kind: 'display',
    sizes: '300x250 300x600 336x280 160x600 300x1050',
    phone: '300x250 320x50 320x100',
    source: 'public slot names',
  },
  {
    pattern: '(in-?content|in-?article|in-?text|mid-?content|in-?line|in-?post|(^|-)(inline|mid|middle)(-|\\d|$))',
    kind: 'display',
    sizes: `${IN_TEXT} 468x60 580x400`,
    phone: `300x250 336x280 ${PHONE_BANNERS}`,
    source: 'public slot names',
  },
  {
    pattern: '(^|-)(header|top|masthead|above)(-|\\d|$)',
    kind: 'display',
    sizes: `${LEADERBOARDS} 468x60`,
    phone: `${PHONE_BANNERS} 300x250`,
    source: 'public slot names',
  },
];

/** @returns the words with one space between two. The prose check ignores such templates. */
function words(list: TemplateStringsArray): string {
  return list.join('').trim().replace(/\s+/g, ' ');
}

const WORDS: SlotTable['words'] = {
  /** Alone enough for a slot. */
  ad: words`
    ad ads adv advert adverts advertisement advertisements advertising advertisment adslot adslots adunit adunits adspace adspot adbox adarea adbanner adbanners adcontainer adwrapper adwrap adholder adzone adframe adtag adtop adbottom adright adleft adplacement adsense adserver adsbygoogle googlead googleads dfp gpt gam doubleclick openx adition adfox adocean mpu mrec medrec medrect lrec
    werbung werbebanner werbeflaeche werbemittel reklame publicite publicites publicidad publicidade publicity publi propaganda pubblicita pubblicità reklama reklamy reklam reklamlar annonse annonser mainos mainokset advertentie reclame publicitate reklamno реклама διαφήμιση diafimisi 広告 광고 广告 廣告 guanggao quangcao iklan โฆษณา إعلان اعلان פרסומת विज्ञापन বিজ্ঞাপন koukoku robapaginas kakao_ad
  `,
  /** Only together with the size of an ad. */
  perhaps: words`
    banner banners bnr leaderboard billboard skyscraper halfpage sponsor sponsors sponsored sponsorship promo commercial partner anzeige anzeigen annons annonce annonces anuncio anuncios inzerce oglas hirdetes ilmoitus pub regie sponsorlu patrocinio patrocinado placeholder
  `,
  /** Names of positions without an ad word. Only for an empty element. */
  position: words`
    superbanner megabanner megabanniere leaderboard billboard skyscraper sky halfpage pave rectangle medrectangle siderail
  `,
  /** An element with one of these is never a slot. */
  never: words`
    label labels blocker blocked adblock adblocker free close notice disclosure disclaimer choices adchoices cookie cookies consent gdpr cmp newsletter newsletters subscribe subscription survey poll quiz encuesta share sharing sharedaddy social addthis addtoany login comments nofullad
  `,
  /** An empty element of an ad's size with one of these is something else. */
  widget: words`
    map maps chart graph player video playlist weather wetter calendar slider carousel modal dialog overlay layer dropdown tooltip loader loading spinner skeleton chat cart suggestion suggestions autocomplete results live scoreboard ticker game canvas image img photo picture thumb thumbnail avatar logo captcha recaptcha disqus thread root app product products card recommend recommendations related teaser
  `,
  /** Only if no other word names an ad. */
  notAlone: words`hero header footer nav menu form button btn title app search site page text link card list item listing`,
};

const AD_SCRIPTS: AdScriptPatterns = {
  code: '(^|[^a-z])ads?([^a-z]|$)|ad_?(unit|slot|tag|zone|server|code|vert|place|position|manager)|nitroads|slotbydup|banner|placement|prebid|doubleclick|dfp|stpd|apntag|freestar|fluct|yadata|sspzone',
  source:
    '//([\\w.-]+\\.)?(ads?\\d*|adserv\\w*|adx|adfarm\\d*|banners?|servedby\\w*|adtech\\w*|engine\\.adglare)\\.[\\w.-]+/.*[?&=/]\\w*\\d|/(ajs|adjs|adserve|adview|ttj|jtag|showad)(\\.php|\\.js|\\.aspx)?\\?|/adtag\\.js|[?&](wd|width|w)=\\d{2,4}&(amp;)?(ht|height|h)=\\d{2,3}|[?&]size=\\d{2,4}x\\d{2,3}|adglare\\.net/\\?\\d',
  comment:
    '(^|[^a-z])(js tag|ads?|advert\\w*|ad ?tag|adserve\\w*|banner|zone|placement|werbe\\w*|reklam\\w*)([^a-z]|$)|广告|廣告|広告|광고',
};

const AD_WORDS_OF: SlotTable['adWordsOf'] = {
  fr: 'pub pubs annonce annonces regie',
  de: 'anzeige anzeigen',
  es: 'anuncio anuncios pauta roba robapaginas',
  pt: 'anuncio anuncios publi',
  it: 'annuncio annunci',
  sv: 'annons annonser',
  da: 'annonce annoncer',
  nb: 'annonse annonser',
  no: 'annonse annonser',
  fi: 'ilmoitus ilmoitukset',
  cs: 'inzerce',
  hu: 'hirdetes hirdetés',
  hr: 'oglas oglasi',
  sr: 'oglas oglasi',
  sl: 'oglas oglasi',
};

/** Words with which a page marks an ad for its readers. */
const LABELS =
  'ads?|advert(s|isements?|ising|isment)?|ad feedback|report ad|sponsored|sponsor|anzeigen?|werbung|publicit[eéày]s?|publi|pub|publicidade?|pubblicit[aà]|reklam[aey]?|annons(er|e)?|annonce|anuncio|mainos|advertentie|hirdetés|reclame|iklan|space iklan|quảng cáo|广告|廣告|広告|광고|スポンサー(ド)?リンク|реклама|διαφήμιση|โฆษณา|إعلان|اعلان|פרסומת|विज्ञापन|বিজ্ঞাপন|pr|continue reading|scroll to continue|weiterlesen';

export const SLOT_TABLE: SlotTable = {
  networks: NETWORKS,
  words: WORDS,
  adWordsOf: AD_WORDS_OF,
  labels: LABELS,
  positions: POSITIONS,
  standardSizes: IN_PAGE_SIZES.map(({ width, height }) => `${width}x${height}`).join(' '),
  adScripts: AD_SCRIPTS,
};
