// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.management;

import io.safebunny.failure.MisuseException;
import io.safebunny.message.Names;
import io.safebunny.store.record.Listing;
import io.safebunny.store.record.MessageRecord;
import java.time.Instant;
import java.util.Comparator;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Position of a saga in the list of a node's sagas: oldest first, those of one millisecond by name and id. Immutable. */
record SagaPosition(Instant startedAt, String saga, String id) implements Comparable<SagaPosition> {

    private static final Pattern FORM = Pattern.compile("(\\d{1,15}):([^:]+):(.+)");

    private static final Comparator<SagaPosition> ORDER = Comparator.comparing(SagaPosition::startedAt)
            .thenComparing(SagaPosition::saga)
            .thenComparing(SagaPosition::id);

    static SagaPosition of(MessageRecord stored) {
        Listing listing = Objects.requireNonNull(stored.listing(), "what was listed");
        return new SagaPosition(
                listing.createdAt(), listing.kind(), stored.key().correlationId());
    }

    /** @throws MisuseException SB-5001 if the text does not come from a page */
    static SagaPosition parse(String text) {
        Matcher parts = FORM.matcher(text);
        if (!parts.matches()) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "Invalid query of sagas [after=%s]: it must be the value of next from the previous page."
                            .formatted(Names.printable(text)));
        }
        return new SagaPosition(Instant.ofEpochMilli(Long.parseLong(parts.group(1))), parts.group(2), parts.group(3));
    }

    @Override
    public int compareTo(SagaPosition other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return startedAt.toEpochMilli() + ":" + saga + ":" + id;
    }
}
