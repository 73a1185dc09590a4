// Loads the program and its files, and stands between it and the browser: address, settings, clipboard, files.
'use strict';
(() => {
const HOME = '/home/web_user/.config/warptree', OPENED = '/opened', COURSE = '/home/web_user/.local/share/warptree/kernels', KEPT = 'warptree';
const element = id => document.getElementById(id);
let program = null;

const page = {
    // A sentence in the page's middle; empty: none.
    says(words) { element('says').textContent = words; },
    // What is shown, as a state string: the part of the address after '#'.
    shows(state) {
        performance.mark('shown');
        if ('#' + state !== location.hash) history.replaceState(null, '', '#' + state);
    },
    // The program has written its settings: they outlast the page where the browser allows it.
    keeps() {
        const files = program.FS.readdir(HOME).filter(name => program.FS.isFile(program.FS.stat(`${HOME}/${name}`).mode));
        const kept = files.map(name => [name, program.FS.readFile(`${HOME}/${name}`, {encoding: 'utf8'})]);
        try { localStorage.setItem(KEPT, JSON.stringify(kept)); } catch (e) { console.info('settings are not kept: ' + e.message); }
    },
    // A file that the program has written for the user.
    saves(path) {
        const link = document.createElement('a');
        link.href = URL.createObjectURL(new Blob([program.FS.readFile(path)]));
        link.download = path.split('/').pop();
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    },
    copies(text) {
        const by_command = () => {
            const area = document.createElement('textarea');
            area.value = text;
            document.body.append(area);
            area.select();
            document.execCommand('copy');
            area.remove();
            element('canvas').focus();
        };
        if (navigator.clipboard) navigator.clipboard.writeText(text).catch(by_command);
        else by_command();
    },
    asks_for_file() { element('file').click(); },
    served: false, // by warptree serve, which compiles, and has the files of a course
};

async function data() {
    const answer = await fetch('warptree-data.bin');
    if (!answer.ok) throw Error(`warptree-data.bin: ${answer.status} ${answer.statusText}`);
    page.served = answer.headers.has('X-Warptree-Serve');
    const bytes = new Uint8Array(await answer.arrayBuffer());
    if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes; // inflated on the way
    return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer());
}

// The files of a tar archive (ustar).
function unpack(FS, bytes, folder) {
    const decoder = new TextDecoder(), made = new Set();
    const text = (at, length) => {
        const end = bytes.subarray(at, at + length).indexOf(0);
        return decoder.decode(bytes.subarray(at, at + (end < 0 ? length : end)));
    };
    for (let at = 0; at + 512 <= bytes.length && bytes[at] !== 0;) {
        const size = parseInt(text(at + 124, 12), 8), prefix = text(at + 345, 155);
        const path = `${folder}/${prefix ? prefix + '/' : ''}${text(at, 100)}`.replaceAll('/./', '/');
        if (text(at + 156, 1) === '0') {
            const parent = path.replace(/\/[^/]*$/, '');
            if (!made.has(parent)) FS.mkdirTree(parent);
            made.add(parent);
            FS.writeFile(path, bytes.subarray(at + 512, at + 512 + size), {canOwn: true}); // not copied
        }
        at += 512 * (1 + Math.ceil(size / 512));
    }
}

function restore(FS) {
    FS.mkdirTree(HOME);
    try {
        for (const [name, text] of JSON.parse(localStorage.getItem(KEPT) || '[]')) FS.writeFile(`${HOME}/${name}`, text);
    } catch (e) { console.info('no settings are kept: ' + e.message); }
}

// The files of a course: kernels are among the user's own, lessons among those that ship; ?open=NAME opens one at the start.
async function take_course(FS) {
    if (!page.served) return;
    const list = await (await fetch('course/')).json();
    for (const {path, kind} of list) {
        const address = 'course/' + path.split('/').map(encodeURIComponent).join('/');
        const bytes = new Uint8Array(await (await fetch(address)).arrayBuffer());
        const to = kind === 'lesson' ? `/data/assets/lessons/99-${path.replace(/\//g, '-')}` : `${COURSE}/${path}`;
        FS.mkdirTree(to.replace(/\/[^/]*$/, ''));
        FS.writeFile(to, bytes);
    }
}

// What this browser is called by a server that compiles for it: a name of its own, kept where it may be.
function client() {
    let name = null;
    try { name = localStorage.getItem('warptree-client'); } catch (e) {} // in a frame that may keep nothing
    name ??= Math.random().toString(36).slice(2) + Date.now().toString(36);
    try { localStorage.setItem('warptree-client', name); } catch (e) {}
    return name;
}

function open(name, bytes) {
    const path = `${OPENED}/${name.replace(/\//g, '_')}`;
    program.FS.mkdirTree(OPENED);
    program.FS.writeFile(path, bytes);
    program.ccall('page_open', null, ['string'], [path]);
}

// What the browser does with keys that the program has: those with Ctrl or Alt, and F keys, less what nobody may take from it.
function ours(event) {
    if (/^F\d+$/.test(event.key)) return !['F5', 'F11', 'F12'].includes(event.key);
    if (!event.ctrlKey && !event.metaKey && !event.altKey) return event.key === '/' || event.key === "'";
    return !/^[cxvtnwrij]$/i.test(event.key);
}

addEventListener('keydown', event => { if (ours(event)) event.preventDefault(); }, true);
addEventListener('error', event => page.says(`warptree has stopped: ${event.message}; load the page again`));
addEventListener('paste', event => program?.ccall('page_paste', null, ['string'], [event.clipboardData.getData('text')]));
addEventListener('hashchange', () => program?.ccall('page_show', null, ['string'], [location.hash.slice(1)]));
addEventListener('contextmenu', event => event.preventDefault());
document.addEventListener('visibilitychange', () => { if (document.hidden) program?.ccall('page_remember'); });
addEventListener('pagehide', () => program?.ccall('page_remember'));
element('file').addEventListener('change', async event => {
    for (const file of event.target.files) open(file.name, new Uint8Array(await file.arrayBuffer()));
    event.target.value = '';
});

// The program: with threads where the page is isolated from other sites, by its server or by worker.js, else without.
function load_program() {
    const script = document.createElement('script');
    script.src = crossOriginIsolated ? 'warptree-page-threads.js' : 'warptree-page.js';
    return new Promise((loaded, failed) => {
        script.onload = () => loaded(warptree_page({canvas: element('canvas'), page, print: console.log, printErr: console.info}));
        script.onerror = () => failed(Error(`${script.src} is not there`));
        document.body.append(script);
    });
}

(async () => {
    const [files, module] = await Promise.all([data(), load_program()]);
    performance.mark('loaded');
    unpack(module.FS, files, '/data');
    restore(module.FS);
    await take_course(module.FS).catch(error => console.info('the course is not there: ' + error.message));
    if (page.served) module.ccall('page_is_served', null, ['string'], [client()]);
    program = module;
    page.says('');
    element('canvas').focus();
    performance.mark('unpacked');
    module.callMain([location.hash.slice(1)]);
    performance.mark('started');
    const asked = new URLSearchParams(location.search).get('open');
    if (asked && module.FS.analyzePath(`${COURSE}/${asked}`).exists) module.ccall('page_open', null, ['string'], [`${COURSE}/${asked}`]);
    navigator.serviceWorker?.register('worker.js').catch(error => console.info('nothing is kept for offline: ' + error.message));
})().catch(error => page.says(`warptree does not start: ${error.message || error}`));
})();
