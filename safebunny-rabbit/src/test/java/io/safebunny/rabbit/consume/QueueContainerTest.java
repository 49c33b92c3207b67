// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rabbit.consume;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.failure.MisuseException;
import io.safebunny.failure.details.ExceptionDetails;
import io.safebunny.failure.policy.QuarantinePolicy;
import io.safebunny.observation.BoundedLog;
import io.safebunny.rabbit.consume.FakeChannel.FakeConnection;
import io.safebunny.rabbit.work.ConsumerContext;
import io.safebunny.rabbit.work.InboundBudget;
import io.safebunny.test.logs.CapturedLogs;
import io.safebunny.test.logs.LogLine;
import io.safebunny.transport.Delivery;
import io.safebunny.transport.DeliveryHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.aopalliance.aop.Advice;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;
import org.springframework.amqp.core.AcknowledgeMode;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;

/** The container's own part: advices of the application around the pipeline, which settles. */
class QueueContainerTest implements DeliveryHandler {

    private final VirtualTimeline timeline = VirtualTimeline.skipping();
    private final ManualWorkers workers = new ManualWorkers();
    private final BoundedLog log = new BoundedLog(timeline, ExceptionDetails.FULL);
    private final FakeConnection broker = new FakeConnection();
    private final List<String> events = new ArrayList<>();
    private boolean pipelineFails;

    @Override
    public void handle(Delivery delivery) {
        Throwable refusal = delivery.refusal();
        if (refusal == null) {
            events.add("handled");
        } else {
            events.add(
                    "refused: " + (refusal instanceof MisuseException misuse ? misuse.code() : refusal.getMessage()));
        }
        if (pipelineFails) {
            throw new OutOfMemoryError("simulated");
        }
        delivery.acknowledge();
    }

    private QueueContainer startedWith(Advice... advices) {
        QueueContainer container = new QueueContainer(
                new ConsumedQueue("orders-Ping", 10, true, new QuarantinePolicy(20, QuarantinePolicy.PATIENCE)),
                new InboundBudget(1 << 20, log).share("orders-Ping", 10),
                this,
                (ConnectionFactory) Proxy.newProxyInstance(
                        getClass().getClassLoader(),
                        new Class<?>[] {ConnectionFactory.class},
                        (proxy, method, arguments) -> null),
                new ConsumerContext(broker::connection, connection -> {}, workers, timeline, log));
        container.customizeBy(customized -> {
            customized.setAcknowledgeMode(AcknowledgeMode.NONE);
            customized.setQueueNames("another-queue");
            customized.setAdviceChain(advices);
        });
        container.start();
        return container;
    }

    private void deliverOne() {
        broker.latest().deliver(0);
        workers.runAll();
    }

    /** An advice that only notes that it was there. */
    private MethodInterceptor noting(String name) {
        return invocation -> {
            events.add(name);
            @Nullable Object result = invocation.proceed();
            events.add("after " + name);
            return result;
        };
    }

    private void assertSettledOnce() {
        assertThat(broker.latest().calls).filteredOn("ack 1"::equals).hasSize(1);
    }

    @Test
    void aDeliveryThatThePipelineLeavesOpenGoesBack() {
        pipelineFails = true;
        QueueContainer unused = startedWith();

        deliverOne();

        assertThat(broker.latest().calls)
                .filteredOn(call -> call.startsWith("nack"))
                .hasSize(1);
    }

    @Test
    void advicesRunAroundThePipelineInTheirOrder() {
        QueueContainer container = startedWith(noting("outer"), noting("inner"));

        deliverOne();

        assertThat(events).containsExactly("outer", "inner", "handled", "after inner", "after outer");
        assertThat(container.getQueueNames()).containsExactly("orders-Ping");
        assertThat(container.getAcknowledgeMode()).isEqualTo(AcknowledgeMode.MANUAL);
        assertSettledOnce();
    }

    @Test
    void anAdviceSeesChannelAndDelivery() {
        MethodInterceptor looking = invocation -> {
            assertThat(invocation.getArguments()[0]).isInstanceOf(Channel.class);
            events.add(((Delivery) invocation.getArguments()[1]).message().queue());
            return invocation.proceed();
        };
        startedWith(looking);

        deliverOne();

        assertThat(events).containsExactly("orders-Ping", "handled");
    }

    @Test
    void whatIsThrownBeforeTheHandlingIsTheMessagesFailure() {
        MethodInterceptor throwing = invocation -> {
            throw new IllegalStateException("of the advice");
        };
        startedWith(throwing);

        deliverOne();

        assertThat(events).containsExactly("refused: of the advice");
        assertSettledOnce();
    }

    @Test
    void anAdviceThatDoesNotProceedFailsTheMessage() {
        MethodInterceptor dropping = invocation -> null;
        startedWith(dropping);

        deliverOne();

        assertThat(events).containsExactly("refused: SB-5006");
        assertSettledOnce();
    }

    @Test
    void aMessageIsHandledOnceHoweverOftenAnAdviceProceeds() {
        MethodInterceptor twice = invocation -> {
            @Nullable Object unused = invocation.proceed();
            return invocation.proceed();
        };
        startedWith(noting("outer"), twice);

        deliverOne();

        assertThat(events).containsOnlyOnce("handled").doesNotContain("refused: SB-5006");
        assertSettledOnce();
    }

    @Test
    void anAdviceThatProceedsAfterItGaveUpHandlesNothing() {
        List<MethodInvocation> kept = new ArrayList<>();
        MethodInterceptor late = invocation -> {
            kept.add(invocation);
            return null;
        };
        startedWith(late);
        deliverOne();

        proceed(kept.get(0));

        assertThat(events).containsExactly("refused: SB-5006");
        assertSettledOnce();
    }

    private static void proceed(MethodInvocation invocation) {
        try {
            Object unused = invocation.proceed();
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whatIsThrownAfterTheHandlingChangesNothing() {
        MethodInterceptor throwing = invocation -> {
            @Nullable Object unused = invocation.proceed();
            throw new IllegalStateException("quotes the message");
        };
        startedWith(throwing);
        try (CapturedLogs logs = CapturedLogs.start().at(AdvisedPipeline.class.getName(), Level.WARN)) {
            deliverOne();

            assertThat(logs.all())
                    .extracting(LogLine::message)
                    .containsExactly(
                            "An advice of queue 'orders-Ping' threw java.lang.IllegalStateException after the message was settled;"
                                    + " the message is not affected");
        }
        assertThat(events).containsExactly("handled");
        assertSettledOnce();
    }

    @Test
    void stopsOnceForAllWhoAsk() {
        QueueContainer container = startedWith();
        broker.latest().answersCancel = false;

        assertThat(container.drainAndStop()).isNotDone();
        assertThat(container.drainAndStop()).isNotDone();
        workers.runAll();
        broker.latest().confirmCancel();
        workers.runAll();

        assertThat(container.drainAndStop()).isDone();
        assertThat(broker.latest().calls).endsWith("cancel", "close");
    }
}
