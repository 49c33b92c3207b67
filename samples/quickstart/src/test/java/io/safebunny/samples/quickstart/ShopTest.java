// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.middleware.ConsumeMiddleware;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The whole application runs once, as bin/demo --quickstart runs it. */
@Timeout(90)
@ExtendWith(OutputCaptureExtension.class)
class ShopTest {

    private static final Pattern ARROW = Pattern.compile("->>\\w+: (\\w+)");
    private static final Map<String, List<String>> HANDLED = new ConcurrentHashMap<>();

    @Configuration(proxyBeanMethods = false)
    static class Watching {

        @Bean
        ConsumeMiddleware watch() {
            return (message, next) -> {
                next.run();
                HANDLED.computeIfAbsent(message.correlationId(), order -> new CopyOnWriteArrayList<>())
                        .add(message.type());
            };
        }
    }

    @BeforeAll
    static void run(CapturedOutput output) {
        SpringApplication.from(arguments -> Shop.main(arguments))
                .with(Watching.class)
                .run();
        printed = output.getOut();
    }

    private static String printed = "";

    @Test
    void chargesOnceWhateverBreaksAndRefundsWhatItCannotShip() {
        assertThat(printed)
                .contains("the connection broke after the charge, on purpose")
                .containsOnlyOnce("order-2 is charged")
                .contains(
                        "order-1 has paid 1999 cents in this run",
                        "order-2 has paid 1999 cents in this run",
                        "order-3 has paid 0 cents in this run")
                .contains("3 orders, each charged once");
    }

    @Test
    void theMessagesAreThoseOfTheReadmesPicture() throws IOException {
        List<String> drawn = ARROW.matcher(Files.readString(Path.of("../../README.md")))
                .results()
                .map(arrow -> arrow.group(1))
                .toList();

        assertThat(HANDLED.get("order-3")).containsSubsequence(drawn).hasSizeGreaterThanOrEqualTo(drawn.size());
        assertThat(drawn).startsWith("PlaceOrder").endsWith("Refund");
    }
}
