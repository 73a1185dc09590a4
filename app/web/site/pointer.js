// The wheel in notches, and fingers as a mouse: one points, presses and drags, two scroll or pinch as the wheel does. Emscripten's GLFW
// takes pixels for notches, down for up, and presses where the finger before was.
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

// By notches, up and away from the hand if positive; the event is made up, so that it is not taken for one of the browser's.
const turn = (at, notches) => canvas.dispatchEvent(
    new WheelEvent('wheel', {bubbles: true, cancelable: true, clientX: at.x, clientY: at.y, deltaY: notches}));
canvas.addEventListener('wheel', event => {
    if (!event.isTrusted) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const notch = [100, 3, 0.1][event.deltaMode]; // pixels, lines, pages
    turn({x: event.clientX, y: event.clientY}, -event.deltaY / notch);
}, {capture: true, passive: false});

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
    mouse('mousemove', now, 0); // the wheel turns what lies under it
    turn(now, way / NOTCH);
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
