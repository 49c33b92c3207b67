// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.trace;

import io.safebunny.saga.SagaView;
import io.safebunny.test.harness.Happening;
import io.safebunny.test.harness.Journal;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import org.assertj.core.api.AssertProvider;

/** What happened to some messages, for {@code assertThat}. Immutable. */
public final class MessageTrace implements AssertProvider<MessageTraceAssert> {

    private final String name;
    private final List<Happening> happenings;
    private final Instant since;
    private final boolean isComplete;
    private final Supplier<List<SagaView>> sagas;

    public MessageTrace(
            String name,
            List<Happening> happenings,
            Instant since,
            boolean isComplete,
            Supplier<List<SagaView>> sagas) {
        this.name = name;
        this.happenings = happenings;
        this.since = since;
        this.isComplete = isComplete;
        this.sagas = sagas;
    }

    /** The events, in the order of their occurrence. */
    List<Happening> happenings() {
        return happenings;
    }

    /** Whether no work was left. */
    boolean isComplete() {
        return isComplete;
    }

    List<SagaView> sagas() {
        return sagas.get();
    }

    @Override
    public MessageTraceAssert assertThat() {
        return new MessageTraceAssert(this);
    }

    /** One line per event: when, on which node, what, to which message. */
    @Override
    public String toString() {
        return "%s%n%s".formatted(name, happenings.isEmpty() ? "  nothing" : Journal.lines(happenings, since));
    }
}
