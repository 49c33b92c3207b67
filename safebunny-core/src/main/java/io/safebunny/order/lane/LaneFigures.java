// SPDX-License-Identifier: Apache-2.0
package io.safebunny.order.lane;

import io.safebunny.order.lane.Lane.State;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What waits of one type. Immutable.
 *
 * @param held keys whose head was set aside
 * @param parked messages that wait behind others of their keys, whatever these wait for
 * @param since since when the oldest of those heads is set aside, if there are any
 * @param full keys behind whose head nothing more may wait, held or not
 * @param fullest the first five of these
 */
public record LaneFigures(long held, long parked, @Nullable Instant since, long full, List<Full> fullest) {

    /** Of nothing. */
    public static final LaneFigures NONE = new LaneFigures(0, 0, null, 0, List.of());

    private static final int MOST_NAMED = 5;

    public LaneFigures {
        fullest = List.copyOf(fullest);
    }

    /**
     * A key that is full.
     *
     * @param head id of the message that all others wait for; {@code null} while they are handled
     * @param held whether that was set aside
     */
    public record Full(String key, @Nullable String head, boolean held) {}

    /**
     * What waits of all types.
     *
     * @param more whether there is more than was counted
     * @param asOf when the store was asked
     */
    public record Counted(Map<String, LaneFigures> types, boolean more, Instant asOf) {

        public Counted {
            types = Collections.unmodifiableMap(new TreeMap<>(types));
        }
    }

    /** These and this one. */
    public LaneFigures and(String key, Lane lane) {
        boolean isHeld = lane.state() == State.HELD;
        List<Full> named = new ArrayList<>(fullest);
        if (lane.isFull() && named.size() < MOST_NAMED) {
            named.add(new Full(key, lane.head(), isHeld));
        }
        return new LaneFigures(
                held + (isHeld ? 1 : 0),
                parked + lane.parked(),
                isHeld ? earlier(since, lane.since()) : since,
                full + (lane.isFull() ? 1 : 0),
                named);
    }

    private static @Nullable Instant earlier(@Nullable Instant one, @Nullable Instant other) {
        return one == null || (other != null && other.isBefore(one)) ? other : one;
    }
}
