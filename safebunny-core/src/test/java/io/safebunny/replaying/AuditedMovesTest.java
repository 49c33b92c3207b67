// SPDX-License-Identifier: Apache-2.0
package io.safebunny.replaying;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.SafeBunnyEvent;
import io.safebunny.failure.ExceptionDetails;
import io.safebunny.fixture.Wires;
import io.safebunny.observation.BoundedLog;
import io.safebunny.observation.Events;
import io.safebunny.poison.PoisonOperation.Kind;
import io.safebunny.time.VirtualTimeline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

class AuditedMovesTest {

    private static final int MANY = 25_000;

    private final VirtualTimeline timeline = VirtualTimeline.skipping();

    @Test
    void listenersHearOfEachMoveHoweverSlowTheyAre() {
        List<SafeBunnyEvent> heard = new ArrayList<>();
        Executor slow = task -> timeline.schedule(Duration.ofSeconds(1), task);
        Events events = new Events(
                "billing", List.of(heard::add), slow, timeline, new BoundedLog(timeline, ExceptionDetails.FULL));
        ToldOperation operation = new ToldOperation(Kind.REPLAY, PoisonNode.everything(), timeline);

        for (int i = 0; i < MANY; i++) {
            events.moved(operation, PoisonNode.QUEUE, Wires.orderPlaced().wire());
        }
        events.stop();

        assertThat(heard).hasSize(MANY);
    }
}
