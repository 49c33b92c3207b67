// SPDX-License-Identifier: Apache-2.0
package io.safebunny.consuming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.safebunny.fixture.RecordedDelivery;
import io.safebunny.fixture.Wires;
import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.middleware.Next;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.MDC;

/** Whatever a middleware does, the delivery is settled exactly once. */
class SettlementTest {

    private static void ignoringFailure(Next next) {
        try {
            next.run();
        } catch (Exception e) {
            assertThat(e).isNotNull();
        }
    }

    /** Name, middleware, how often the handler runs, how many copies go back to the queue. */
    static Stream<Arguments> middlewares() {
        ConsumeMiddleware passing = (context, next) -> next.run();
        ConsumeMiddleware shortCircuiting = (context, next) -> {};
        ConsumeMiddleware repeating = (context, next) -> {
            next.run();
            next.run();
            next.run();
        };
        ConsumeMiddleware throwingBefore = (context, next) -> {
            throw new IOException("before");
        };
        ConsumeMiddleware throwingAfter = (context, next) -> {
            next.run();
            throw new IllegalStateException("after");
        };
        ConsumeMiddleware error = (context, next) -> {
            next.run();
            throw new StackOverflowError("error");
        };
        ConsumeMiddleware afterGroupThrowing = new After((context, next) -> {
            throw new IOException("after group");
        });
        ConsumeMiddleware afterGroupShortCircuiting = new After((context, next) -> {});
        return Stream.of(
                arguments("passing", passing, 1, 0),
                arguments("short-circuiting", shortCircuiting, 0, 0),
                arguments("repeating", repeating, 3, 0),
                arguments("throwing before", throwingBefore, 0, 1),
                arguments("throwing after", throwingAfter, 1, 1),
                arguments("error", error, 1, 1),
                arguments("after group throwing", afterGroupThrowing, 1, 0),
                arguments("after group short-circuiting", afterGroupShortCircuiting, 1, 0));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("middlewares")
    void happensOnceWhenTheHandlerSucceeds(String what, ConsumeMiddleware middleware, int runs, int returned) {
        for (boolean remembers : new boolean[] {true, false}) {
            Node node = new Node(remembers, Node.SIX_ATTEMPTS, middleware);
            RecordedDelivery delivery = node.deliver();

            assertThat(delivery.acknowledged()).as(what).isEqualTo(1);
            assertThat(delivery.settled()).as(what).isEqualTo(1);
            assertThat(node.runs).as(what).hasValue(runs);
            assertThat(node.transport.attempted()).as(what).hasSize(returned);
            assertThat(node.transport.returned()).as(what).hasSize(returned);
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("middlewares")
    void happensOnceWhenTheHandlerFails(String what, ConsumeMiddleware middleware, int runs, int returned) {
        for (boolean remembers : new boolean[] {true, false}) {
            Node node = new Node(remembers, Node.ONE_ATTEMPT, middleware).failing(new IllegalStateException("failed"));
            RecordedDelivery delivery = node.deliver();

            assertThat(delivery.acknowledged()).as(what).isEqualTo(1);
            assertThat(delivery.settled()).as(what).isEqualTo(1);
            assertThat(node.transport.attempted()).as(what).hasSize(runs == 0 && returned == 0 ? 0 : 1);
            assertThat(node.transport.poisoned()).as(what).hasSize(runs == 0 && returned == 0 ? 0 : 1);
        }
    }

    @Test
    void happensOnceWhenAMiddlewareSwallowsTheFailure() {
        Node node = new Node(Node.ONE_ATTEMPT, (context, next) -> ignoringFailure(next))
                .failing(new IllegalStateException("failed"));
        RecordedDelivery delivery = node.deliver();

        assertThat(delivery.settled()).isEqualTo(1);
        assertThat(node.transport.attempted()).isEmpty();
    }

    @Test
    void happensOnceWhenAMiddlewareRetriesByItself() {
        Node node = new Node(Node.ONE_ATTEMPT, (context, next) -> {
            ignoringFailure(next);
            next.run();
        });
        node.handler = (payload, context) -> {
            if (node.runs.get() == 1) {
                throw new IOException("the first time");
            }
        };
        RecordedDelivery delivery = node.deliver();

        assertThat(delivery.acknowledged()).isEqualTo(1);
        assertThat(delivery.settled()).isEqualTo(1);
        assertThat(node.runs).hasValue(2);
        assertThat(node.transport.attempted()).isEmpty();
    }

    @Test
    void happensOnlyAfterTheHandler() {
        Node node = new Node(Node.ONE_ATTEMPT);
        RecordedDelivery delivery =
                new RecordedDelivery(Node.QUEUE, Wires.orderPlaced().wire());
        node.handler = (payload, context) -> assertThat(delivery.settled()).isZero();
        node.deliver(delivery);

        assertThat(delivery.acknowledged()).isEqualTo(1);
        assertThat(node.transport.poisoned()).isEmpty();
    }

    @Test
    void isOfADuplicateTooWhichIsNotHandled() {
        Node node = new Node(Node.ONE_ATTEMPT);
        node.deliver();
        RecordedDelivery duplicate = node.deliver();

        assertThat(duplicate.acknowledged()).isEqualTo(1);
        assertThat(node.runs).hasValue(1);
    }

    @Test
    void leavesNothingInTheLogContext() {
        AtomicBoolean seen = new AtomicBoolean();
        Node node = new Node(Node.ONE_ATTEMPT);
        node.handler = (payload, context) -> {
            assertThat(MDC.get("safebunny.messageId")).isEqualTo(context.messageId());
            assertThat(MDC.get("safebunny.correlationId")).isEqualTo(context.correlationId());
            assertThat(MDC.get("safebunny.type")).isEqualTo(context.type());
            assertThat(MDC.get("safebunny.node")).isEqualTo("billing");
            assertThat(MDC.get("safebunny.attempt")).isEqualTo("0");
            seen.set(true);
            throw new IllegalStateException("failed");
        };
        node.deliver();

        assertThat(seen).isTrue();
        assertThat(MDC.getCopyOfContextMap()).isNullOrEmpty();
        assertThat(node.transport.poisoned().get(0).message().headers())
                .containsEntry("x-exception-type", IllegalStateException.class.getName());
    }
}
