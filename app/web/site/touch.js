// Fingers as a mouse: one points, presses and drags, two scroll or pinch as the wheel does. Without it the program's own listeners
// would press where the finger before was.
'use strict';
(() => {
const STILL = 8, NOTCH = 40; // pixels of the page: that a resting finger may move; of two fingers a notch of the wheel
const canvas = document.getElementById('canvas');
let begin = null, last = null, dragging = false, two = null;

const where = touches => {
    const [a, b = a] = touches;
    return {x: (a.clientX + b.clientX) / 2, y: (a.clientY + b.clientY) / 2, apart: Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY)};
};
const mouse = (type, at, buttons) =>
    canvas.dispatchEvent(new MouseEvent(type, {bubbles: true, cancelable: true, clientX: at.x, clientY: at.y, button: 0, buttons}));

function one_finger(now) {
    last = now;
    if (!dragging && Math.hypot(now.x - begin.x, now.y - begin.y) > STILL) {
        dragging = true;
        mouse('mousemove', begin, 0);
        mouse('mousedown', begin, 1);
    }
    if (dragging) mouse('mousemove', now, 1);
}

// Which of both it is, the first notch says.
function two_fingers(now) {
    const apart = now.apart - two.apart, down = now.y - two.y;
    two.pinch ??= Math.max(Math.abs(apart), Math.abs(down)) > NOTCH / 2 ? Math.abs(apart) > Math.abs(down) : null;
    if (two.pinch === null) return;
    const way = two.pinch ? apart : down;
    if (two.pinch && Math.abs(way) < NOTCH) return;
    canvas.dispatchEvent(new WheelEvent('wheel', {bubbles: true, cancelable: true, clientX: now.x, clientY: now.y, deltaY: -100 * way / NOTCH}));
    two = {...now, pinch: two.pinch};
}

function lift() {
    if (dragging) mouse('mouseup', last, 0);
    else if (begin) {
        mouse('mousemove', begin, 0);
        mouse('mousedown', begin, 1);
        mouse('mouseup', begin, 0);
    }
    begin = null, dragging = false;
}

function touched(event) {
    event.preventDefault();
    event.stopImmediatePropagation();
    const {touches, type} = event;
    if (touches.length === 0) {
        if (type === 'touchcancel') begin = null;
        if (!two) lift();
        two = null;
    } else if (touches.length === 2) {
        if (!two) {
            if (dragging) lift();
            begin = null;
            two = {...where(touches), pinch: null};
            mouse('mousemove', two, 0); // the wheel turns what lies under it
        } else if (type === 'touchmove') two_fingers(where(touches));
    } else if (touches.length === 1 && !two) {
        if (type === 'touchstart') {
            canvas.focus();
            begin = last = where(touches);
        } else if (begin) one_finger(where(touches));
    }
}
for (const type of ['touchstart', 'touchmove', 'touchend', 'touchcancel']) canvas.addEventListener(type, touched, {capture: true, passive: false});
})();
