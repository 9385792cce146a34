import { IN_PAGE_SIZES } from '../../domain/adSizes.ts';
import type { SlotFormat } from '../../domain/slotFormats.ts';

/**
 * Ad slots on the web: the markup of ad networks and plug-ins, ad words in many languages, and names of
 * positions with their sizes. The search for slots in `inPage/` gets this table as its argument. The comment above a row names its source.
 */

/** `none`: counters, out-of-page formats, sponsor logos. */
export type SlotKind = SlotFormat | 'none';

/** These never hold a display ad. Those that ads of other formats use stay in the list, so that the reason can name them. */
export const NEVER_DISPLAY: ReadonlySet<SlotKind> = new Set(['native', 'video', 'in_stream', 'none']);

/** Video players: the elements of player libraries and AMP, and the addresses of frames. `<video>` is always one. */
export const PLAYERS = {
  selectors: [
    '.video-js, .jwplayer, .jw-wrapper, .flowplayer, .plyr, .mejs-container, .mejs__container, .html5-video-player, .shaka-video-container',
    '.bc-player, .brightcove-player, .vjs-player, .fp-player, .kaltura-player-container, .bitmovinplayer-container, .akamai-player',
    'video-js, lite-youtube, youtube-video, mux-player, media-controller, hls-video, cld-video-player',
    'amp-video, amp-video-iframe, amp-youtube, amp-brightcove, amp-jwplayer, amp-dailymotion, amp-vimeo, amp-kaltura-player, amp-ooyala-player',
  ].join(', '),
  /** Patterns for the addresses of frames. */
  hosts: [
    'youtube(-nocookie)?\\.com/(embed|v)/|player\\.vimeo\\.com/|dailymotion\\.com/(embed|player)|players?\\.',
    '(cdn|content)\\.(jwplatform|jwplayer)\\.com/(players|previews)|facebook\\.com/plugins/video|rumble\\.com/embed',
    'wistia\\.(net|com)/embed|streamable\\.com/[eo]/|ok\\.ru/videoembed|vk\\.com/video_ext|rutube\\.ru/play/embed|v\\.qq\\.com/',
    'cdnapi(sec)?\\.kaltura\\.com/|embed\\.ted\\.com/',
  ].join('|'),
} as const;

/** Sizes as `300x250 336x280`. */
type Sizes = string;

export interface NetworkRow {
  /** Default: `display`. */
  readonly kind?: SlotKind;
  /** Elements that hold the ad: selectors, separated by commas. */
  readonly selectors?: string;
  /** Text of an inline script that prints the ad where it stands. */
  readonly inlineScript?: string;
  /** A pattern for the names of the element (id, classes, values of attributes), and the sizes of that position. The first match counts. */
  readonly sizes?: Readonly<Record<string, Sizes>>;
  /** The markup is meant for these devices only. */
  readonly device?: 'phone' | 'desktop';
}

export interface PositionRow {
  /** Default: `display`. */
  readonly kind?: SlotKind;
  readonly sizes?: Sizes;
  /** Sizes on phones, where they differ. */
  readonly phone?: Sizes;
}

const LEADERBOARDS = '728x90 970x90 970x250';
const IN_TEXT = '300x250 336x280 728x90';
const PHONE_BANNERS = '320x50 320x100 300x50 300x100';

/** By name. */
const NETWORKS: Readonly<Record<string, NetworkRow>> = {
  // github.com/googleads/google-publisher-tag-samples, ad-sizes and collapse-empty-ad-slots
  'Google Publisher Tag': { selectors: '[id^="div-gpt-ad"], [data-google-query-id], [id^="gpt-ad-"]' },
  // schema.org/WPAdBlock
  'Ad block of schema.org': { selectors: '[itemtype$="schema.org/WPAdBlock"]' },
  // support.google.com/adsense/answer/9261805: ads that Google's script adds outside of the page's content. Before the rows that match some of them too
  'AdSense auto ads outside of the content': {
    kind: 'none',
    selectors: 'ins.adsbygoogle-noablate:not([data-anchor-status]), ins.adsbygoogle[data-vignette-loaded]',
  },
  // github.com/googleads/google-publisher-tag-samples, display-anchor-ad
  'GPT anchor': {
    kind: 'anchor',
    selectors: 'ins[data-anchor-status], ins[data-anchor-shown], [id^="gpt_unit_"][id*="anchor"]',
    sizes: { '': '320x50 320x100 300x50 728x90 970x90' },
  },
  // developers.google.com/publisher-tag/samples/display-side-rail-ad
  'GPT side rail': { kind: 'rail', selectors: 'ins[data-side-rail-status]', sizes: { '': '160x600 300x600' } },
  // github.com/googleads/google-publisher-tag-samples, display-web-interstitial-ad
  'GPT interstitial and vignette': {
    kind: 'interstitial',
    selectors: 'ins[data-vignette-loaded], [id^="gpt_unit_"][id*="interstitial"]',
    sizes: { '': '300x250 320x480 336x280' },
  },
  // support.google.com/admanager, out-of-page line items
  'Out-of-page slots': {
    kind: 'none',
    selectors: '[id$="-oop"], [id$="_oop"], [id$="OOP"], [id*="outofpage" i], [id*="-exposer-"], [id*="-1x1"]',
  },
  // support.google.com/adsense/answer/9183460
  AdSense: {
    selectors: 'ins.adsbygoogle, ins[data-ad-client][data-ad-slot], .google-auto-placed',
    sizes: {
      'data-ad-format-horizontal': `${LEADERBOARDS} 468x60 320x50 320x100`,
      'data-ad-format-vertical': '160x600 300x600 120x600',
      'data-ad-format-rectangle': '300x250 336x280 250x250',
    },
  },
  // support.google.com/adsense/answer/7533385
  'AdSense matched content and in-feed ads': {
    kind: 'native',
    selectors: 'ins.adsbygoogle[data-ad-format="autorelaxed"], ins.adsbygoogle[data-ad-layout-key]',
  },
  // gist.github.com/nucklearproject/4233314
  'AdSense show_ads.js': { selectors: '[id^="google_ads_div_"]', inlineScript: 'google_ad_width' },
  // support.google.com/admanager, legacy tags
  'Google Ad Manager, GA_googleFillSlot': { inlineScript: 'GA_googleFillSlot' },
  // github.com/ampproject/amphtml, extensions/amp-ad/amp-ad.md
  'AMP ad': { selectors: 'amp-ad' },
  // github.com/ampproject/amphtml, extensions/amp-sticky-ad/amp-sticky-ad.md
  'AMP sticky ad': {
    kind: 'anchor',
    selectors: 'amp-sticky-ad, amp-sticky-ad > amp-ad, amp-ad[sticky]',
    sizes: { '': '320x50 320x100 300x50' },
  },
  // github.com/ampproject/amphtml, extensions/amp-ad/amp-embed.md
  'AMP native and automatic ads': {
    kind: 'native',
    selectors: `
      amp-embed, amp-auto-ads, amp-story-auto-ads, amp-ad[type="taboola"], amp-ad[type="outbrain"],
      amp-ad[type="mgid"], amp-ad[type="revcontent"], amp-ad[type="dianomi"], amp-ad[type="zergnet"]
    `,
  },
  // gist.github.com/carljdp/12a2c96afc2e559f4a9ecb7bc9985bd1
  'Revive Adserver': {
    selectors: '[data-revive-zoneid], ins[data-zoneid], iframe[src*="/afr.php"], iframe[src*="/delivery/afr"]',
    inlineScript: '/ajs.php',
  },
  // pages of sbnation.com
  OpenX: { selectors: '.open_x_ad, [id^="open_x_ad_unit_"]', sizes: { leaderboard: LEADERBOARDS } },
  // pages of bklyner.com
  Broadstreet: { selectors: 'broadstreet-zone, broadstreet-zone-container, .broadstreet-zone-container' },
  // adbutler.com/help, asynchronous zone tags
  AdButler: { selectors: '[id^="placement_"]:not(img), [data-plc]', inlineScript: 'AdButler.register' },
  // dev.kevel.com, ados.js reference
  'Kevel (Adzerk)': { selectors: '[id^="azk"], [id^="adzerk"]' },
  // wordpress.org/plugins/ad-inserter
  'Ad Inserter (WordPress)': {
    selectors: `
      .code-block[class*="code-block code-block-"]:not([class*="--"]), .code-block.ai-viewports,
      .ai-viewports[class*="ai-viewport-"]
    `,
  },
  // wordpress.org/plugins/adrotate
  'AdRotate (WordPress)': {
    selectors:
      '.g > .g-single, .g > .g-dyn, .g > .g-col, .a-single[class*=" a-"], [id^="ajdg_grpwidgets"], [id^="ajdg_bnnrwidgets"]',
  },
  // wordpress.org/plugins/advanced-ads
  'Advanced Ads (WordPress)': { selectors: '[class*="advads-"], [id^="advads-"], [data-advads-trackid]' },
  // support.jegtheme.com, JNews advertisement options
  'JNews theme': {
    selectors: '.jeg_ad, .jnews_content_inline_ads',
    sizes: { 'jeg-ad-top|jeg-header': LEADERBOARDS, 'jeg-ad-(article|content|inline)': IN_TEXT },
  },
  // templates of the Adace plug-in, standard slot
  'Adace (Bimber theme)': {
    selectors: '.adace-slot-wrapper, .adace-slot, [class*="adace_ad_"]',
    sizes: {
      '(before|after)-header|home-before|theme-area': `${LEADERBOARDS} 320x50 320x100`,
      '(content|paragraph)': IN_TEXT,
    },
  },
  // wordpress.org/plugins/quick-adsense-reloaded
  'WP QUADS': { selectors: '.quads-location, [id^="quads-ad"], .quads-ad' },
  // adsanity.com documentation
  'AdSanity (WordPress)': { selectors: '.adsanity-shortcode, .adsanity-inner, [class*="adsanity-"]' },
  // forum.tagdiv.com, Newspaper advertising guide
  'Newspaper theme (tagDiv)': {
    selectors: '.td-a-rec, .td-a-ad',
    sizes: {
      'td-a-rec-id-header': '728x90 970x90 468x60',
      'td-a-rec-id-sidebar': '300x250 336x280 300x600',
      'td-a-rec-id-content-(top|bottom)': `${IN_TEXT} 468x60`,
      'td-a-rec-id-content-inline': `${IN_TEXT} 468x60`,
      'td-a-rec-id-custom': IN_TEXT,
    },
  },
  // pages of color-meanings.com
  'Raptive (AdThrive)': {
    selectors: '.adthrive-ad, [id^="AdThrive_"]',
    sizes: {
      'adthrive-content': `${IN_TEXT} 320x50 320x100`,
      'adthrive-sidebar': '300x250 300x600 160x600',
      'adthrive-header': `${LEADERBOARDS} 320x50`,
      'adthrive-recipe': '300x250 320x250 320x50',
      'adthrive-below-post': `${IN_TEXT} 970x250 320x50`,
    },
  },
  // pages of color-meanings.com
  'Raptive (AdThrive) footer': {
    kind: 'anchor',
    selectors: '.adthrive-footer, [id^="AdThrive_Footer"], .adthrive-sticky',
    sizes: { '': '728x90 970x90 320x50' },
  },
  // pages of color-meanings.com
  'Raptive (AdThrive) player': {
    kind: 'video',
    selectors: '.adthrive-player-container, .adthrive-video-player, [id^="AdThrive_Player"]',
  },
  // github.com/mediavine/mediavine-create
  Mediavine: {
    selectors: `
      .mv_slot_target, .mv-ad-box, [data-mediavine-slot], [id^="mediavine-"], .adunitwrapper,
      .adunitwrapper .adunit
    `,
    sizes: {
      'sidebar-atf': '300x250',
      'sidebar-btf': '300x600 160x600 300x250',
      leaderboard: '728x90 970x250',
      '(content|recipe|feed|arrival)': `${IN_TEXT} 320x50 320x100`,
    },
  },
  // github.com/mediavine/mediavine-create
  'Mediavine adhesion': {
    kind: 'anchor',
    selectors: '[id^="adhesion_"], [data-slotid^="adhesion"]',
    sizes: { '': '320x50 728x90' },
  },
  // pages of linuxize.com and stickyball.net
  Ezoic: {
    selectors: '[id^="ezoic-pub-ad-placeholder-"], .ezoic-ad, [ezaw][ezah], [data-ez-name], .ezoic-autoinsert-ad',
    sizes: {
      'narrow-sky': '160x600',
      'large-billboard': '970x250',
      'large-leaderboard': LEADERBOARDS,
      'small-square': '250x250',
      medrectangle: '336x280 300x250 728x90 580x400',
      '-box': '300x250 580x400 336x280',
      'leader|banner': '728x90 468x60 970x90 300x250',
    },
  },
  // pages of semantic-ui.com and laravel.com/docs
  'Carbon Ads': { kind: 'native', selectors: '#carbonads, #_carbonads_js, .carbon-wrap, .carbonads' },
  // github.com/readthedocs/ethical-ad-client
  EthicalAds: { kind: 'native', selectors: '[data-ea-publisher]' },
  // pages of coingecko.com
  BuySellAds: { selectors: '[id^="bsa-zone_"], [id^="bsap_"], .bsap' },
  // npmjs.com/package/@freestar/pubfig-adslot-angular-component, pages of loremipsum.io
  Freestar: {
    selectors: '[data-freestar-ad], freestar-ad-slot, [id^="fs-slot"]',
    sizes: { siderail: '300x600 160x600', leaderboard: LEADERBOARDS, incontent: '300x250 336x280' },
  },
  // docs.playwire.com, RAMP tag placement
  'Playwire RAMP, desktop': {
    device: 'desktop',
    selectors: '[data-pw-desk]',
    sizes: { leaderboard: '728x90 970x90', 'med-rect': '300x250', sky: '160x600 300x600' },
  },
  // docs.playwire.com, RAMP tag placement
  'Playwire RAMP, phone': {
    device: 'phone',
    selectors: '[data-pw-mobi]',
    sizes: { leaderboard: '320x50 320x100', 'med-rect': '300x250' },
  },
  // docs.publift.com, Fuse tags
  'Publift Fuse': {
    selectors: '[data-fuse], [id^="fuse-slot-"]',
    sizes: {
      vrec: '160x600 300x600',
      mrec: '300x250',
      'mobile-leaderboard': '320x50 320x100',
      'header|leaderboard': LEADERBOARDS,
      incontent: '300x250 336x280',
    },
  },
  // pages of w3schools.com
  'Snigel AdEngine': {
    selectors: '[id^="adngin-"]',
    sizes: {
      'leaderboard.*mobile': '320x50 320x100',
      leaderboard: `${LEADERBOARDS} 320x50 320x100`,
      'mid-content': '728x90 336x280 300x250',
      side: '160x600 300x250 300x600',
      'mobile|bottom': '300x250 320x100 728x90',
    },
  },
  // pages of hltv.org
  Venatus: {
    selectors: '.vm-placement:not([style*="display"])',
    sizes: { 'hybrid-banner': '320x50 728x90 970x250' },
  },
  // pages of hltv.org
  'Venatus rich media': { kind: 'none', selectors: '.vm-placement[style*="display"]' },
  // api-docs.nitropay.com
  NitroPay: { selectors: '[id^="nitro-"], [id^="ad-nitro-"], [id^="nn_"]' },
  // public WordPress pages with Monumetric tags
  Monumetric: { selectors: '[id^="mmt-"], .mmtwrappos' },
  // public pages with deployads tags
  Sortable: { selectors: '.ad-tag[data-ad-name]' },
  // help.smartadserver.com, tagging guide
  'Equativ (Smart AdServer)': { selectors: '[id^="sas_"], [id^="SaS_placeholder_"]' },
  // help.smartadserver.com, tagging guide: floating formats stand first in the body
  'Equativ (Smart AdServer) counter': {
    kind: 'none',
    selectors: 'body > [id^="sas_"]:first-child, body > [id^="sas_"][class=""]',
  },
  // learn.microsoft.com/en-us/xandr/seller-tag/define-tag
  'Xandr seller tag': { selectors: '[id^="apn_ad_slot_"], iframe[src*="adnxs.com/tt?"]' },
  // pages of theverge.com
  'Vox Concert': {
    selectors: '.m-ad, [data-concert-ads-name], .dynamic-js-slot',
    sizes: {
      leaderboard: LEADERBOARDS,
      'medium-rectangle': '300x250',
      'half-page': '300x600',
      'article-body|feature-body': '728x90 300x250',
    },
  },
  // coinzilla.com documentation, display zones
  Coinzilla: { selectors: '.coinzilla[data-zone], [data-zone^="C-"]', inlineScript: 'coinzilla_display' },
  // a-ads.com help, ad units
  'A-ADS': { selectors: 'iframe[data-aa], iframe[src*="a-ads.com"]' },
  // help-publishers.adsterra.com, banner codes
  Adsterra: { inlineScript: 'atOptions' },
  // themoneytizer.com help, ad formats
  'The Moneytizer': {
    inlineScript: 'requestform.js?siteId',
    sizes: {
      '\\d-1$': '728x90',
      '\\d-(2|19)$': '300x250',
      '\\d-3$': '300x600',
      '\\d-4$': '160x600',
      '\\d-6$': '320x50',
      '\\d-31$': '970x250',
    },
  },
  // yandex.ru/support/partner2, RTB blocks
  Yandex: { selectors: '[id^="yandex_rtb_"]' },
  // yandex.ru/support/adfox-sites
  Adfox: { selectors: '[id^="adfox_"], [id^="AdFox_banner_"]' },
  // github.com/joomla/joomla-cms, modules/mod_banners
  'Joomla banners': { selectors: '.banneritem' },
  // pages of zeit.de and handelsblatt.com
  'iq digital': {
    selectors: '[id^="iqadtile"]:not([id$="OOP"]), .iqdcontainer[data-placement]',
    sizes: {
      'iqadtile-?1$': '728x90 800x250 970x250',
      'iqadtile-?2$': '160x600 120x600 300x600',
      'iqadtile-?3$': '300x250 300x600',
      'iqadtile-?(4|5|8|9)$': '300x250',
    },
  },
  // public pages with SDG.Publisher
  Ströer: {
    selectors: '[id^="sdgSlotContainer"], [id^="strnads"]',
    sizes: {
      topmobile: '320x50 320x100 300x150',
      banner: '728x90 800x250 970x250',
      sky: '160x600 120x600',
      rectangle: '300x250',
      posterad: '300x600',
    },
  },
  // www2.i-mobile.co.jp, publisher tags
  'i-mobile': {
    selectors: '[id^="imobile_adspotdiv"], [class^="imobile_adspot"], div[id^="im-"]:has(+ script[src*="imobile"])',
  },
  // github.com/CDPAdSolution/adSolution-Reference
  'Media Impact (adSolution)': {
    selectors: '#superbanner, #sky, #billboard, #mrec, [id^="mrec_btf"], [id^="billboard_btf"], [id^="banner_btf"]',
  },
  // github.com/CDPAdSolution/adSolution-Reference
  'Media Impact (adSolution) in-page video': { kind: 'video', selectors: '#inpage' },
  // github.com/guardian/frontend, commercial slots
  'The Guardian': {
    selectors: '.js-ad-slot, [id^="dfp-ad--"]',
    sizes: { 'top-above-nav': LEADERBOARDS, right: '300x250 300x600', inline: '300x250', 'mobile-sticky': '320x50' },
  },
  // github.com/guardian/frontend, sponsored badges
  'Sponsor logos': {
    kind: 'none',
    selectors: '[id*="sponsor-logo" i], [class*="sponsor-logo" i], [class*="sponsorLogo"]',
  },
  // pages of gothamist.com
  htlbid: {
    selectors: '[class*="htlad-"]:not([class*="skin"]), .htl-ad:not([data-unit*="skin"])',
    sizes: { leaderboard: LEADERBOARDS, rectangle: '300x250', midpage: '728x90 970x250' },
  },
  // pages of gothamist.com
  'htlbid skin': { kind: 'skin', selectors: '[class*="htlad-"][class*="skin"]' },
  // adfit.github.io, web SDK
  'Kakao AdFit': { selectors: 'ins.kakao_ad_area, ins[data-ad-unit^="DAN-"]' },
  // target.my.com/help/partners, web tags
  'VK (myTarget)': { selectors: 'ins.mrg-tag' },
  // partner.seznam.cz, sssp.getAds
  'Seznam SSP': { selectors: '[id^="ssp-zone-"], .ssp-ad-container' },
  // docs.adnuntius.com, adn.js
  Adnuntius: { selectors: '[id^="adn-0"]' },
  // xenforo.com/community/resources/ads-manager-2-by-siropu
  'XenForo Siropu Ads Manager': { selectors: '.samBannerUnit, .samCodeUnit, [data-xf-init="sam-unit"]' },
  // jannah.helpscoutdocs.com, advertisement settings
  'Jannah and Sahifa themes (TieLabs)': {
    selectors: '.stream-item:not([class*="compact"]):not([class*="--"]):not([class*="-type-"]), .stream-item-widget',
    sizes: {
      'stream-item-(above-post|below-post|top|above-footer|below-header|above-header|below)': `${LEADERBOARDS} 468x60`,
      'stream-item-(in-post|inline)': IN_TEXT,
      'stream-item-(widget|size)': '300x250 336x280 300x600',
    },
  },
  // betterstudio.com, Better Ads Manager
  'Better Ads (Publisher theme)': { selectors: '.bsac, .bsac-container' },
  // github.com/coop182/jquery.dfp.js
  'jquery.dfp': {
    selectors: '[data-dimensions], .adunit[data-adunit], [data-size-mapping]',
    sizes: {
      'leaderboard.*mobile|mobile.*leaderboard': '320x50 320x100',
      leaderboard: '728x90 970x90',
      medrec: '300x250',
    },
  },
  // docs.optidigital.com
  Optidigital: {
    selectors: '[id^="optidigital-adslot"]',
    sizes: {
      'mobile-pos|mobile': '300x250 320x100 320x50 336x280',
      billboard: '970x250 728x90 970x90',
      halfpage: '300x600 160x600 300x250',
      content: '300x250 728x90 336x280',
    },
  },
  // drupal.org/project/dfp
  'Drupal DFP module': { selectors: '[id^="js-dfp-tag-"]' },
  // github.com/Automattic/jetpack, modules/wordads
  'WordAds (Jetpack)': {
    selectors: '.wpa, [id^="atatags-"], .wordads-ad-wrapper',
    sizes: { wpmrec: '300x250', wpwidesky: '160x600', 'wpldr|wpleaderboard': '728x90' },
  },
  // pages of blitz.bg
  'AdOcean (Gemius)': { selectors: 'div[id^="adocean"]' },
  // adition.com, JavaScript tags
  Adition: { selectors: '[id^="adition"], .adition', inlineScript: 'adition.com/' },
  // support.media.net, ad tags
  'Media.net': { selectors: '[id^="_mN_"]', inlineScript: 'medianet_width' },
  // codecanyon.net/item/wp-pro-advertising-system
  'ADning (WP PRO Advertising System)': { selectors: '.paszone_container, [id^="paszonecont_"], .wppaszone' },
  // pages of maisonbrico.com
  'Sites with a data-sizes attribute': {
    selectors: '.adslot[data-sizes], [data-sizes][data-dfp], [data-ad-sizes], [data-ad-size], [data-dfp-sizes]',
  },
  // fomantic-ui.com/views/advertisement.html
  'Fomantic UI ad view': {
    selectors: '.ui.ad',
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
  },
  // tag documentation of the networks
  'Setupad, SHE Media, Yieldlove, Naver': {
    selectors: '[id^="stpd-"], [id^="blogherads-"], [data-yieldlove-ad], ._naver_ad_area, [id^="crt-"][style]',
  },
  // pages of news sites with custom elements
  'Ad elements': { selectors: 'ad-slot, gpt-ad, display-ads, display-ad-component, bsp-ad' },
  // support.google.com/blogger, AdSense gadget
  'Blogger widget': { selectors: '.widget.AdSense' },
  // tag documentation of Taboola, Outbrain, MGID, Revcontent, Dianomi, ZergNet and plista
  'Recommendation widgets': {
    kind: 'native',
    selectors: `
      [id^="taboola-"], .trc_related_container, .trc_rbox_container, .OUTBRAIN, [data-ob-template],
      [id*="ScriptRootC"], [data-type="_mgwidget"], [id^="MarketGid"], [id^="rc-widget-"], [data-rc-widget],
      .dianomi_context, [data-dianomi-context-id], [id^="zergnet-widget"], [id^="plista"], [data-spotim-module]
    `,
  },
  // affiliate-program.amazon.com, native shopping ads
  'Amazon native ads': { kind: 'native', selectors: '[id^="amzn-assoc-ad"], [id^="amzn_assoc"], .aalb-pa-ad-unit' },
  // support.teads.tv, inRead; support.connatix.com and primis.tech, player tags
  'Teads, Connatix, Primis': {
    kind: 'video',
    selectors:
      '[class*="teads-"], [id^="teads"], [id^="connatix"], [class^="connatix"], [id^="primis"], .primis-player',
  },
  // pages of evermind.fi and mestis.fi with Adform publisher tags
  Adform: { selectors: 'script[data-adfscript]' },
  // wordpress.org/plugins/adplugg
  AdPlugg: { selectors: '.adplugg-tag, [data-adplugg-zone]' },
  // github.com/ampproject/amphtml, ads/vendors/adspirit.js
  AdSpirit: { selectors: '.asm_async_creative, [data-asm-params]' },
  // wordpress.org/plugins/meks-easy-ads-widget
  'Meks Easy Ads Widget (WordPress)': {
    selectors: '.mks_adswidget_ul',
    sizes: { 'mks-adswidget-ul-large': '300x250', 'mks-adswidget-ul-small': '125x125' },
  },
  // codecanyon.net/item/ads-pro-plugin-multipurpose-wordpress-advertising-manager
  'ADS PRO (WordPress)': { selectors: '.bsaProContainer, .apPluginContainer' },
  // github.com/Automattic/newspack-ads, includes/class-placements.php
  'Newspack Ads (WordPress)': { selectors: '.newspack_global_ad:not(.sticky)' },
  // pages of mobygames.com and abovetopsecret.com
  'Proper Media': { selectors: '.proper-ad-unit:not(.ad-sticky), [id^="proper-ad-"]' },
  // support.adpushup.com, Apex ad codes
  AdPushup: { selectors: '._ap_apex_ad, [id^="ADP_"]' },
  // pages of codingforums.com, Spanish pages with Marfeel, Persian pages with Yektanet and Mediaad
  'Waldo, Marfeel, Yektanet and Mediaad': {
    selectors: '[id^="waldo-tag-"], .mrf-adv__wrapper, .mrf-adv, [id^="pos-article-display-"], [id^="mediaad-"]',
  },
  // pages of csdn.net with cpro.baidustatic.com tags
  'Baidu Union': { inlineScript: 'slotbydup' },
  // board.nend.net, publisher tags
  nend: { inlineScript: 'nend_params', sizes: { '': '320x50 320x100 300x250 300x100' } },
  // e-planning.net, publisher tags
  'e-planning': { selectors: '[id^="eplAdDiv"]' },
  // invisioncommunity.com, advertisements
  'Invision Community': { selectors: '.ipsAdvertisement' },
  // tags of Geniee and GMOSSP (Japan), Clever Core (Spain) and AdRiver (Russia)
  'Geniee, GMOSSP, Clever Core, AdRiver': {
    selectors: '[data-cptid], [id^="gmossp_core_"], .clever-core-ads, [id^="adriver_banner"]',
  },
  // docs.exoclick.com; tags of JuicyAds, TrafficJunky, Bitmedia and ADOP
  'Networks with an ins element': { selectors: 'ins[class]:empty, ins[id]:empty, ins[data-zoneid]' },
};

/** By a pattern for the words of a name, joined with hyphens. The first match counts. */
const POSITIONS: Readonly<Record<string, PositionRow>> = {
  // Ad Manager
  '(^|-)(oop|outofpage|out-of-page|exposer|tracking-?pixel|\\w*1x1|(ad|dfp|sponsor)-?logo)(-|$)': { kind: 'none' },
  // IAB native formats
  '(^|-)(native-ads?|nativead|in-?feed|advertorial)(-|$)': { kind: 'native' },
  // IAB video formats
  '(^|-)(in-?page|in-?read|outstream|preroll|video-ad|slimcut|glomex(div)?)(-|$)': { kind: 'video' },
  // IAB and OVK formats, skins
  '(^|-)(skin|skins|takeover|wallpaper|fireplace|gutter|habillage|arche|branding|brandingwall|sitebranding)(-|$)': {
    kind: 'skin',
  },
  // IAB formats, interstitials
  '(^|-)(interstitial|interstitiel|vignette|prestitial|intromercial|interscroller|splash|popup|pop-up|layer-ad|overlay|balloon|floating)(-|$)':
    {
      kind: 'interstitial',
      sizes: '300x250 336x280 640x480 480x320',
      phone: '300x250 320x480 300x600',
    },
  // Better Ads Standards, sticky ads
  '(^|-)(adhesion|anchor-ad|ad-anchor|anchored|bottom-(sticky|anchor|rail|bar)|(sticky|fixed)-(footer|bottom|banner|floor)|footer-sticky|floor-ad|catfish|mobile-sticky|stickyfooter)(-|$)':
    {
      kind: 'anchor',
      sizes: '728x90 970x90',
      phone: '320x50 320x100 300x50',
    },
  // IAB half page; SRI grand angle
  '(half-?page|filmstrip|grand-?angle|doble-?robapaginas|poster-?ad|double-?mpu|pendon)': { sizes: '300x600 160x600' },
  // IAB mobile banners
  '(mobile-?(leader|banner|top)|top-?mobile|mobil-?panorama)': { sizes: '320x50 320x100' },
  // IAB super leaderboard
  '(super-?leader|large-?leader)': { sizes: '970x90 970x250 728x90', phone: PHONE_BANNERS },
  // IAB leaderboard, OVK superbanner, SRI mégabannière
  '(^|-)(super-?banner|mega-?bann?er|mega-?banniere|banniere-?haute|leader-?boards?|leader|ldb|ldr|[a-z]?lb|hrec|ban-?top|toppbanner|cintillo)(-|\\d|$)':
    {
      sizes: LEADERBOARDS,
      phone: PHONE_BANNERS,
    },
  // IAB billboard; national formats
  '(^|-)(bill-?board|big-?banner|giga|mega-?board|panorama|panoraami|jattiboksi|start-?boks)(-|\\d|$)': {
    sizes: '970x250 800x250 980x240 970x90 728x90',
    phone: '320x100 300x250 320x160',
  },
  // IAB skyscraper
  '(wide-?sky|sky-?scraper|skyskraper|rascacielos|arranha-?ceu|vrec|(^|-)(sky|tower)(-|\\d|$))': {
    sizes: '160x600 120x600',
  },
  // IAB large rectangle
  '(large-?rect)': { sizes: '336x280 300x250' },
  // IAB medium rectangle, SRI pavé
  '(^|-)(m-?pu|m-?rec|med-?rect?|medium-?rect(angle)?|l-?rec|pave|big-?box)(-|\\d|$)': { sizes: '300x250' },
  // IAB rectangles, robapáginas
  '(^|-)(rectangle|rect|roba-?paginas|roba|box-?ad|island|content-?ad|retangulo|boxad|rektangel|square|carre)(-|\\d|$)':
    {
      sizes: '300x250 336x280 250x250',
      phone: '300x250 336x280 250x250 320x100',
    },
  // IAB full banner
  '(^|-)(full-?banner)(-|\\d|$)': { sizes: '468x60' },
  // public slot names
  '(side-?rail|side-?bar|right-?(rail|col|column)|(^|-)(side|rail|sidebar|right)(-|\\d|$))': {
    sizes: '300x250 300x600 336x280 160x600 300x1050',
    phone: '300x250 320x50 320x100',
  },
  // public slot names
  '(in-?content|in-?article|in-?text|mid-?content|in-?line|in-?post|(^|-)(inline|mid|middle)(-|\\d|$))': {
    sizes: `${IN_TEXT} 468x60 580x400`,
    phone: `300x250 336x280 ${PHONE_BANNERS}`,
  },
  // public slot names
  '(^|-)(header|top|masthead|above)(-|\\d|$)': {
    sizes: `${LEADERBOARDS} 468x60`,
    phone: `${PHONE_BANNERS} 300x250`,
  },
};

/** @returns the words with one space between two. The prose check ignores such templates. */
function words(list: TemplateStringsArray): string {
  return list.join('').trim().replace(/\s+/g, ' ');
}

const WORDS = {
  /** Alone enough for a slot. */
  ad: words`
    ad ads adv advert adverts advertisement advertisements advertising advertisment adslot adslots adunit adunits adspace adspot adbox adarea adbanner adbanners adcontainer adwrapper adwrap adholder adzone adframe adtag adtop adbottom adright adleft adplacement adsense adserver adsbygoogle googlead googleads dfp gpt gam doubleclick openx adition adfox adocean mpu mrec medrec medrect lrec
    werbung werbebanner werbeflaeche werbemittel reklame publicite publicites publicidad publicidade publicity publi propaganda pubblicita pubblicità reklama reklamy reklam reklamlar annonse annonser mainos mainokset advertentie reclame publicitate reklamno реклама διαφήμιση diafimisi 広告 광고 广告 廣告 guanggao quangcao iklan โฆษณา إعلان اعلان פרסומת विज्ञापन বিজ্ঞাপন koukoku robapaginas kakao_ad reklaam auglysing auglýsing admzone e3lan tablighat advertenties mainospaikka annonsplats inzercia anzeigenblock ggw pirsomet
  `,
  /** Only together with the size of an ad. */
  perhaps: words`
    banner banners bnr leaderboard billboard skyscraper halfpage sponsor sponsors sponsored sponsorship promo commercial partner anzeige anzeigen annons annonce annonces anuncio anuncios inzerce oglas hirdetes ilmoitus pub regie sponsorlu patrocinio patrocinado placeholder banniere bandeau
  `,
  /** Names of positions without an ad word. Only for an empty element. */
  position: words`
    adhesion catfish superbanner megabanner megabanniere masthead panorama ldb leaderboard billboard skyscraper sky halfpage pave rectangle medrectangle siderail megaboard giga toppbanner startboks
  `,
  /** An element with one of these is never a slot. */
  never: words`
    config debug function offset bait tracker pixel beacon blocker blocked adblock adblocker free close notice disclosure disclaimer choices adchoices cookie cookies consent gdpr cmp newsletter newsletters subscribe subscription survey poll quiz encuesta share sharing sharetools sharedaddy social addthis addtoany login comments nofullad
  `,
  /** An empty element of an ad's size with one of these is something else. */
  widget: words`
    map maps chart graph player video playlist weather wetter calendar slider carousel modal dialog overlay layer dropdown tooltip loader loading spinner skeleton chat cart suggestion suggestions autocomplete results live scoreboard ticker game canvas image img photo picture thumb thumbnail avatar logo captcha recaptcha disqus thread root app product products card recommend recommendations related teaser
  `,
  /** Only if no other word names an ad. */
  notAlone: words`hero header footer nav menu form button btn title app search site page text link card list item listing`,
};

/**
 * How the scripts of ad servers that no row names are recognized, in lower case. Sources: learn.microsoft.com/en-us/xandr/seller-tag,
 * docs.nitropay.com, and tags of Setupad, Playwire, fluct, Xandr, AdSpeed, AdvertServe and AdGlare.
 */
const AD_SCRIPTS = {
  /** Code that speaks of ads. */
  code: '(^|[^a-z])ads?([^a-z]|$)|ad_?(unit|slot|tag|zone|server|code|vert|place|position|manager)|nitroads|slotbydup|banner|placement|prebid|doubleclick|dfp|stpd|apntag|freestar|fluct|yadata|sspzone',
  /** The address of a script that prints one ad. */
  source:
    '//([\\w.-]+\\.)?(ads?\\d*|adserv\\w*|adx|adfarm\\d*|banners?|servedby\\w*|adtech\\w*|engine\\.adglare)\\.[\\w.-]+/.*[?&=/]\\w*\\d|/(ajs|adjs|adserve|adview|ttj|jtag|showad)(\\.php|\\.js|\\.aspx)?\\?|/adtag\\.js|[?&](wd|width|w)=\\d{2,4}&(amp;)?(ht|height|h)=\\d{2,3}|[?&]size=\\d{2,4}x\\d{2,3}|adglare\\.net/\\?\\d',
  /** A comment that introduces an ad tag. */
  comment:
    '(^|[^a-z])(js tag|ads?|advert\\w*|ad ?tag|adserve\\w*|banner|zone|placement|werbe\\w*|reklam\\w*)([^a-z]|$)|广告|廣告|広告|광고',
};

/**
 * Words that mean an ad in one language and something else in others, by the language's code. They also mean small ads. The keys also
 * have top-level domains, for pages that do not name their language.
 */
const AD_WORDS_OF: Readonly<Record<string, string>> = {
  fr: 'pub pubs annonce annonces regie',
  'de at ch li': 'anzeige anzeigen anz inserat inserate',
  'es mx cl pe': 'anuncio anuncios pauta roba robapaginas',
  'pt br': 'anuncio anuncios publi',
  it: 'annuncio annunci',
  'sv se': 'annons annonser',
  'da dk': 'annonce annoncer',
  'nb no': 'annonse annonser',
  fi: 'ilmoitus ilmoitukset',
  'cs cz': 'inzerce',
  hu: 'hirdetes hirdetés',
  'hr sr rs sl si': 'oglas oglasi',
  'ro md': 'reclama reclame',
};

/** Words with which a page marks an ad for its readers. */
const LABELS =
  'ads?|advert(s|isements?|ising|isment)?|ad feedback|report ad|sponsored|sponsor|anzeigen?|werbung|publicit(at)?[eéày]s?|publi|pub|publicidade?|pubblicit[aà]|reklam[aey]?|annons(er|e)?|annonce|anuncio|mainos|mainokset|advertentie|hirdetés|reclame|iklan|space iklan|quảng cáo|广告|廣告|広告|광고|スポンサー(ド)?リンク|реклама|διαφήμιση|โฆษณา|إعلان|اعلان|פרסומת|विज्ञापन|বিজ্ঞাপন|oglasi?|inzerc(e|ia)|auglýsing(ar)?|reklaam|آگهی|تبلیغات|إعلانات|i̇?lan|pr|continue reading|scroll to continue|weiterlesen';

export const SLOT_TABLE = {
  networks: NETWORKS,
  words: WORDS,
  adWordsOf: AD_WORDS_OF,
  labels: LABELS,
  positions: POSITIONS,
  standardSizes: IN_PAGE_SIZES.map(({ width, height }) => `${width}x${height}`).join(' '),
  adScripts: AD_SCRIPTS,
};

export type SlotTable = typeof SLOT_TABLE;
