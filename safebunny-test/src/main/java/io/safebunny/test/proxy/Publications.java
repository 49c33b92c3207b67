// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.proxy;

import java.util.HashMap;
import java.util.Map;

/** While publications are counted, tracks those of one connection, because the frames of several channels may alternate. */
final class Publications {

    private static final long UNKNOWN = Long.MAX_VALUE;

    private final Faults faults;
    private final Map<Integer, Long> bytesLeft = new HashMap<>();

    Publications(Faults faults) {
        this.faults = faults;
    }

    /** Whether the frame is the last of a publication that began while publications were counted. */
    boolean completedBy(Frame frame) {
        if (frame.isMethod(Frame.PUBLISH) && faults.countsPublishes()) {
            bytesLeft.put(frame.channel(), UNKNOWN);
            return false;
        }
        Long left = bytesLeft.isEmpty() ? null : bytesLeft.get(frame.channel());
        if (left == null || !(frame.isHeader() || frame.isBody())) {
            return false;
        }
        long leftNow = frame.isHeader() ? frame.bodySize() : left - frame.size();
        bytesLeft.put(frame.channel(), leftNow);
        return leftNow == 0 && bytesLeft.remove(frame.channel()) != null;
    }
}
