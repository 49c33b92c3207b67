// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.proxy;

/** Decides at each frame whether to cut the connection. Called once per frame of one direction, in order. */
@FunctionalInterface
interface FrameRule {

    Verdict judge(Frame frame);

    /** What happens to the frame and its connection. */
    enum Verdict {
        /** The frame is forwarded. */
        PASS,
        /** The connection is cut instead of forwarding the frame. */
        CUT_BEFORE,
        /** The frame is forwarded, then the connection is cut. */
        CUT_AFTER
    }
}
