// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.proxy;

import java.nio.ByteBuffer;

/**
 * Parses the frames of one direction of a connection and applies the rule to each. For the one thread that copies the bytes. Traffic that
 * is not AMQP passes unparsed.
 */
final class FrameScanner {

    private static final int PROTOCOL_HEADER = 8;
    private static final byte[] AMQP = {'A', 'M', 'Q', 'P'};

    private final FrameRule rule;
    private boolean greets;
    private boolean isAmqp = true;
    private boolean cutsAfterFrame;
    private long leftOfFrame;

    private FrameScanner(FrameRule rule, boolean greets) {
        this.rule = rule;
        this.greets = greets;
    }

    /** For the client's direction, which begins with the protocol header. */
    static FrameScanner ofClient(FrameRule rule) {
        return new FrameScanner(rule, true);
    }

    static FrameScanner ofBroker(FrameRule rule) {
        return new FrameScanner(rule, false);
    }

    /**
     * Moves the buffer's position past all bytes that may be forwarded; the rest must wait for more bytes.
     *
     * @return whether to cut the connection after these bytes are forwarded
     */
    boolean advance(ByteBuffer buffer) {
        while (isAmqp) {
            int step = (int) Math.min(buffer.remaining(), leftOfFrame);
            buffer.position(buffer.position() + step);
            leftOfFrame -= step;
            if (leftOfFrame == 0 && cutsAfterFrame) {
                return true;
            }
            if (leftOfFrame > 0 || !buffer.hasRemaining()) {
                return false;
            }
            isAmqp = looksLikeAmqp(buffer);
            if (isAmqp && !isHeadComplete(buffer)) {
                return false;
            }
            if (isAmqp && enterNext(buffer)) {
                return true;
            }
        }
        buffer.position(buffer.limit());
        return false;
    }

    private boolean looksLikeAmqp(ByteBuffer buffer) {
        if (!greets) {
            return Frame.startsWith(buffer.get(buffer.position()));
        }
        int compared = Math.min(AMQP.length, buffer.remaining());
        return buffer.slice(buffer.position(), compared).equals(ByteBuffer.wrap(AMQP, 0, compared));
    }

    /** Whether enough of the next frame has arrived to decide about it. */
    private boolean isHeadComplete(ByteBuffer buffer) {
        if (greets) {
            return buffer.remaining() >= PROTOCOL_HEADER;
        }
        return buffer.remaining() >= Frame.PREFIX
                && buffer.remaining() >= Math.min(Frame.HEAD, Frame.at(buffer).length());
    }

    /** @return whether to cut before the frame */
    private boolean enterNext(ByteBuffer buffer) {
        if (greets) {
            greets = false;
            leftOfFrame = PROTOCOL_HEADER;
            return false;
        }
        Frame frame = Frame.at(buffer);
        FrameRule.Verdict verdict = rule.judge(frame);
        cutsAfterFrame = verdict == FrameRule.Verdict.CUT_AFTER;
        leftOfFrame = frame.length();
        return verdict == FrameRule.Verdict.CUT_BEFORE;
    }
}
