// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.fixture.OrderPlaced;
import io.safebunny.fixture.PaymentCaptured;
import io.safebunny.middleware.ConsumeContext;
import io.safebunny.time.VirtualTimeline;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AfterGroupTest {

    private final List<@Nullable Throwable> failures = new ArrayList<>();
    private final List<String> order = new ArrayList<>();

    private After recording() {
        return new After((context, next) -> {
            failures.add(context.failure());
            order.add("after");
            next.run();
        });
    }

    @Test
    void runsAfterASuccess() {
        Node node = new Node(Node.SIX_ATTEMPTS, recording());
        node.deliver();

        assertThat(failures).hasSize(1).containsOnlyNulls();
    }

    @Test
    void runsOnceAfterAFailureWithWhatTheLastAttemptThrew() {
        Node node = new Node(Node.SIX_ATTEMPTS, recording());
        node.handler = (payload, context) -> {
            throw new IOException("try " + node.runs.get());
        };
        node.deliver();

        assertThat(failures).singleElement().satisfies(failure -> assertThat(failure)
                .hasMessage("try 3"));
    }

    @Test
    void runsAfterAnErrorToo() {
        Node node = new Node(Node.ONE_ATTEMPT, recording()).failing(new StackOverflowError());
        node.deliver();

        assertThat(failures).singleElement().isInstanceOf(StackOverflowError.class);
    }

    @Test
    void runsInsideTheBeforeGroup() {
        Node node = new Node(
                Node.ONE_ATTEMPT,
                (context, next) -> {
                    order.add("before");
                    next.run();
                    order.add("end");
                },
                recording());
        node.handler = (payload, context) -> order.add("handler");
        node.deliver();

        assertThat(order).containsExactly("before", "handler", "after", "end");
    }

    @Test
    void changesNothingWhenItFails() {
        Node node = new Node(Node.SIX_ATTEMPTS, new After((context, next) -> {
            throw new IOException("after");
        }));
        node.handler = (payload, context) -> node.bunny().publish(new PaymentCaptured("42"));
        node.deliver();

        assertThat(node.runs).hasValue(1);
        assertThat(node.transport.published()).hasSize(1);
        assertThat(node.transport.poisoned()).isEmpty();
    }

    @Test
    void doesNotHideTheFailureOfTheHandler() {
        IllegalStateException failure = new IllegalStateException("handler");
        Node node = new Node(Node.ONE_ATTEMPT, new After((context, next) -> {
                    throw new IOException("after");
                }))
                .failing(failure);
        node.deliver();

        assertThat(node.transport.poisoned().get(0).message().headers())
                .containsEntry("x-exception-message", "handler");
    }

    @Test
    void knowsTheMessage() {
        List<ConsumeContext> contexts = new ArrayList<>();
        Node node = new Node(Node.ONE_ATTEMPT, new After((context, next) -> contexts.add(context)));
        node.deliver();

        assertThat(contexts).singleElement().satisfies(context -> {
            assertThat(context.payload()).isEqualTo(new OrderPlaced("o-1", 42));
            assertThat(context.queue()).isEqualTo("billing-OrderPlaced");
            assertThat(context.from()).isEqualTo("orders");
            assertThat(context.marker()).isEqualTo(2);
            assertThat(context.attempt()).isZero();
            assertThat(context.sentAt()).isEqualTo(VirtualTimeline.START);
        });
    }
}
