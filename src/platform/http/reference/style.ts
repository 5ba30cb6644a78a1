/** The page's style: the dashboard's colours, light and dark, and a single column on a phone. */
export const style = `
:root{color-scheme:light dark;--paper:light-dark(#f6f5f1,#121513);--surface:light-dark(#fff,#191d1a);
--line:light-dark(#e5e2da,#2a302c);--ink:light-dark(#1a1d1b,#e8ebe8);--soft:light-dark(#555b57,#a9b0ab);
--accent:light-dark(#1d6450,#74c7ab);--tint:light-dark(#e4efe9,#1b2f28);--danger:light-dark(#a92f25,#f0938a);
--warn:light-dark(#7d5300,#e5b866);--blue:light-dark(#1f4f8f,#8db8ee)}
*{box-sizing:border-box}
html{scroll-padding-top:1rem;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;
display:grid;grid-template-columns:19rem minmax(0,1fr)}
a{color:var(--accent);text-decoration-thickness:1px;text-underline-offset:2px}
a:focus-visible,summary:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
code,pre{font-family:ui-monospace,"SF Mono","Cascadia Code",Menlo,"DejaVu Sans Mono",monospace;font-size:.867em}
p code,dd code,summary code{background:var(--tint);border-radius:4px;padding:.05em .3em}
pre{background:var(--surface);border:1px solid var(--line);border-radius:6px;padding:.75rem 1rem;overflow-x:auto;
margin:.5rem 0 1rem;line-height:1.5;max-height:28rem}
pre code{font-size:1em}pre .key{color:var(--blue)}pre .text{color:var(--accent)}pre .value{color:var(--warn)}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:1rem;background:var(--surface);padding:.5rem;z-index:2}
nav{position:sticky;top:0;height:100vh;overflow-y:auto;border-right:1px solid var(--line);padding:1.25rem 1rem 3rem}
nav summary{font-weight:650;font-size:1.05rem;list-style:none;cursor:default}
nav summary::-webkit-details-marker{display:none}
nav h2{font-size:.75rem;text-transform:uppercase;letter-spacing:.06em;color:var(--soft);margin:1.4rem 0 .3rem}
nav ul{list-style:none;margin:0;padding:0}
nav a{display:flex;gap:.5rem;align-items:baseline;color:inherit;text-decoration:none;padding:.2rem .4rem;border-radius:5px;font-size:.867rem}
nav a:hover{background:var(--tint)}
nav .method{flex:none;width:3.1rem;text-align:left;padding:0;background:none}
main{padding:2rem clamp(1rem,4vw,3.5rem) 6rem;max-width:62rem;min-width:0}
h1{font-size:1.9rem;line-height:1.2;margin:0 0 1rem;letter-spacing:-.01em}
.tag>h2{font-size:1.4rem;margin:3.5rem 0 .25rem;padding-top:1rem;border-top:1px solid var(--line)}
.tag>p{color:var(--soft);margin:0 0 1rem}
.operation{padding:1.25rem 0 .5rem}
.operation+.operation{border-top:1px dashed var(--line)}
h3{font-size:1.1rem;margin:0 0 .4rem}h3 a{color:inherit;text-decoration:none}h3 a:hover{text-decoration:underline}
h4{font-size:.8rem;text-transform:uppercase;letter-spacing:.05em;color:var(--soft);margin:1.2rem 0 .3rem}
.where{margin:0 0 .5rem;overflow-wrap:anywhere}
.method{font:650 .75rem/1 ui-monospace,Menlo,monospace;padding:.2rem .4rem;border-radius:4px;background:var(--tint);color:var(--accent)}
.method.post{color:var(--blue)}.method.patch{color:var(--warn)}.method.delete{color:var(--danger)}
.note,.optional{font-size:.75rem;color:var(--soft);border:1px solid var(--line);border-radius:99px;padding:.05rem .5rem;
text-transform:none;letter-spacing:0;font-weight:400}
.fields{margin:.3rem 0 1rem;border:1px solid var(--line);border-radius:6px;background:var(--surface)}
.fields>div{padding:.5rem .9rem}.fields>div+div{border-top:1px solid var(--line)}
.fields dt{overflow-wrap:anywhere}.fields dt code{font-weight:600}.fields dd{margin:0}.fields dd p{margin:.1rem 0;color:var(--soft)}
.fields .fields{margin:.5rem 0 .2rem}
.type{color:var(--soft);font-size:.867em}p.type{margin:.4rem 0}.rules{font-size:.867em;color:var(--soft)}
.answer{border:1px solid var(--line);border-radius:6px;margin:.35rem 0;background:var(--surface)}
.answer>summary{padding:.45rem .9rem;cursor:pointer;overflow-wrap:anywhere}
.answer>div{padding:0 .9rem .4rem}
.status{font:650 .85rem ui-monospace,Menlo,monospace;margin-right:.3rem}
.good .status{color:var(--accent)}.bad .status{color:var(--danger)}
.answer pre{background:var(--paper)}
@media(max-width:60rem){body{display:block}nav{position:static;height:auto;max-height:42vh;border-right:0;border-bottom:1px solid var(--line)}
nav ul{columns:15rem}main{padding-top:1.25rem}h1{font-size:1.5rem}}
@media print{nav{display:none}body{display:block}pre{max-height:none}}
`;
