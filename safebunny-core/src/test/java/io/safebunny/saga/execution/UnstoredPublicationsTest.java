// SPDX-License-Identifier: Apache-2.0
package io.safebunny.saga.execution;

import static io.safebunny.middleware.PublishOutcome.CONFIRMED;
import static io.safebunny.middleware.PublishOutcome.DROPPED;
import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.Published;
import io.safebunny.middleware.Group;
import io.safebunny.middleware.Next;
import io.safebunny.middleware.PublishContext;
import io.safebunny.middleware.PublishMiddleware;
import io.safebunny.middleware.PublishOutcome;
import io.safebunny.store.MessageStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A node without a store: what its handler publishes is not confirmed, and the handler runs again. */
class UnstoredPublicationsTest {

    record Begin(String id) {}

    record First(String id) {}

    record Second(String id) {}

    private final SagaWorld world = new SagaWorld();
    private final List<String> told = new ArrayList<>();

    private final class After implements PublishMiddleware {
        @Override
        public Group group() {
            return Group.AFTER;
        }

        @Override
        public void invoke(PublishContext context, Next next) throws Exception {
            PublishOutcome outcome = context.outcome();
            told.add(context.type() + " " + outcome);
            next.run();
        }
    }

    @Test
    void areNotToldAsFailedForTheNextRunPublishesThemAgain() {
        world.start("desk", List.of());
        world.publishMiddlewares = List.of(new After());
        @Nullable MessageStore none = null;
        world.start("post", none, List.of(SagaWorld.handler("desk", Begin.class, (payload, context) -> {
            Published unused = world.bunny("post").publish(new First("1"));
            unused = world.bunny("post").publish(new Second("1"));
        })));
        world.publish("desk", new Begin("1"), "order-1");
        assertThat(told).containsExactlyInAnyOrder("First " + DROPPED, "Second " + DROPPED);
        told.clear();

        world.start(
                "hall",
                List.of(
                        SagaWorld.handler("post", First.class, (payload, context) -> {}),
                        SagaWorld.handler("post", Second.class, (payload, context) -> {})));
        world.pass(Duration.ofMinutes(1));

        assertThat(told).containsExactlyInAnyOrder("First " + CONFIRMED, "Second " + CONFIRMED);
    }
}
