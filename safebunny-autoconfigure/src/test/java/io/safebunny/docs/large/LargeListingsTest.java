// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.large;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.bodies.BodyStore;
import io.safebunny.test.bodies.MemoryBodyStore;
import io.safebunny.time.Timeline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The listings of {@code docs/large-messages.md}, compiled and run. */
class LargeListingsTest {

    static final BlockingQueue<Object> HANDLED = new LinkedBlockingQueue<>();

    record Scanned(String text) {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @BunnyHandler(from = "archive")
        void on(Scanned scanned) {
            HANDLED.add(scanned);
        }
    }

    @TestConfiguration(proxyBeanMethods = false)
    static class LargeBodies {

        @Bean
        BodyStore bodies(Timeline timeline) {
            return new MemoryBodyStore(timeline);
        }
    }

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withUserConfiguration(Application.class)
            .withPropertyValues(
                    "safebunny.node=archive",
                    "safebunny.transport=memory",
                    "safebunny.store.type=memory",
                    "safebunny.claim-check.above=1KB");

    private static void publishesToItself(ApplicationContextRunner runner) {
        Scanned large = new Scanned("page ".repeat(1_000));
        runner.run(context -> {
            assertThat(context).hasNotFailed();
            context.getBean(Bunny.class).publish(large);
            assertThat(HANDLED.poll(30, TimeUnit.SECONDS)).isEqualTo(large);
        });
    }

    @Test
    void keepsBodiesInFiles(@TempDir Path folder) throws IOException {
        publishesToItself(application.withPropertyValues("safebunny.claim-check.files.location=" + folder));

        try (Stream<Path> files = Files.walk(folder)) {
            assertThat(files.filter(
                            file -> Files.isRegularFile(file) && file.toFile().length() > 4_000))
                    .hasSize(1);
        }
    }

    @Test
    void keepsBodiesInTheMemoryOfATest() {
        publishesToItself(application.withUserConfiguration(LargeBodies.class));
    }
}
