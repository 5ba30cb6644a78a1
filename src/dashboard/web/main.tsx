import { render } from 'preact';

render(<p>Postern</p>, document.getElementById('app')!);
