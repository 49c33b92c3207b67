// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.concurrency.Workers;
import io.safebunny.memory.MemoryBroker;
import io.safebunny.middleware.ConsumeContext;
import io.safebunny.middleware.ConsumeMiddleware;
import io.safebunny.middleware.Next;
import io.safebunny.time.Timeline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What docs/tracing.md says of log keys. */
class LogKeysTest {

    private static final String PREFIX = "safebunny.";
    private static final String TYPE = PREFIX + "type";
    private static final Map<String, String> OF_THE_THREAD = Map.of(TYPE, "of the thread", "tenant", "acme");

    private final ApplicationContextRunner runner = Nodes.memory()
            .withUserConfiguration(Threads.class)
            .withPropertyValues(
                    "safebunny.retry.max-retries=1",
                    "safebunny.retry.initial-interval=1ms",
                    "safebunny.delayed-retry.delays=50ms");
    private final Lines lines = new Lines();

    @BeforeEach
    void open() {
        lines.start();
        lines.logger.addAppender(lines);
    }

    @AfterEach
    void close() {
        lines.logger.detachAppender(lines);
    }

    @Test
    void areInTheLinesOfAllAttemptsAndAsBeforeAfterwards() {
        areThereAndGone(runner);
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void areInTheLinesOfVirtualThreads() {
        areThereAndGone(runner.withPropertyValues("spring.threads.virtual.enabled=true"));
    }

    private void areThereAndGone(ApplicationContextRunner node) {
        node.withBean(Failing.class).run(context -> {
            Published published = context.getBean(Bunny.class)
                    .publish(new OrderPlaced("1"), PublishOptions.none().withCorrelationId("order-1"));

            Threads threads = context.getBean(Threads.class);
            Awaitility.await().until(() -> threads.afterwards.size() == 2);
            assertThat(threads.afterwards).containsOnly(OF_THE_THREAD);
            Map<String, String> first = keys(published, 0);
            Map<String, String> later = keys(published, 1);
            assertThat(lines.keysOf("handler")).containsExactly(first, first, later, later);
            assertThat(lines.keysOf("middleware")).containsExactly(first, later);
            assertThat(lines.keysOf("Message goes to shop-poison")).containsExactly(later);
            assertThat(lines.keysOf("thread of its own")).containsExactly(Map.of(), Map.of());
        });
    }

    private static Map<String, String> keys(Published published, int attempt) {
        return Map.of(
                PREFIX + "node",
                "shop",
                PREFIX + "messageId",
                published.messageId(),
                PREFIX + "correlationId",
                "order-1",
                TYPE,
                "OrderPlaced",
                PREFIX + "attempt",
                Integer.toString(attempt));
    }

    @Test
    void areAllDocumented() throws IOException {
        List<String> documented = Pattern.compile("^\\| `(safebunny\\.\\w+)` \\|", Pattern.MULTILINE)
                .matcher(Files.readString(Path.of("../docs/tracing.md")))
                .results()
                .map(row -> row.group(1))
                .toList();

        assertThat(documented)
                .containsExactlyInAnyOrderElementsOf(
                        keys(Published.as("1", "order-1"), 0).keySet());
    }

    static class Failing implements ConsumeMiddleware {
        private static final org.slf4j.Logger LOG = LoggerFactory.getLogger(Failing.class);

        @Override
        public void invoke(ConsumeContext context, Next next) throws Exception {
            LOG.warn("middleware");
            next.run();
        }

        @BunnyHandler(from = "shop")
        void on(OrderPlaced order, MessageContext context) throws InterruptedException {
            LOG.warn("handler");
            if (context.attempt() == 0) {
                throw new IllegalStateException("on purpose");
            }
            Thread own = new Thread(() -> LOG.warn("thread of its own"));
            own.start();
            own.join();
            throw new IllegalStateException("again");
        }
    }

    /** Those of the node, which have keys of their own, and what was left of them. */
    @Configuration(proxyBeanMethods = false)
    static class Threads {
        final List<Map<String, String>> afterwards = new CopyOnWriteArrayList<>();

        @Bean
        MemoryBroker broker(Timeline timeline, Workers workers) {
            return new MemoryBroker(timeline, task -> workers.executor().execute(() -> {
                OF_THE_THREAD.forEach(MDC::put);
                task.run();
                afterwards.add(MDC.getCopyOfContextMap());
            }));
        }
    }

    /** Read on the thread that logs, as an encoder does. */
    private static final class Lines extends AppenderBase<ILoggingEvent> {
        final Logger logger = (Logger) LoggerFactory.getLogger("io.safebunny");
        private final List<Map.Entry<String, Map<String, String>>> all = new CopyOnWriteArrayList<>();

        @Override
        protected void append(ILoggingEvent line) {
            Map<String, String> keys = new TreeMap<>(line.getMDCPropertyMap());
            keys.remove("tenant");
            all.add(Map.entry(line.getFormattedMessage(), keys));
        }

        List<Map<String, String>> keysOf(String text) {
            return all.stream()
                    .filter(line -> line.getKey().startsWith(text))
                    .map(Map.Entry::getValue)
                    .collect(Collectors.toList());
        }
    }
}
