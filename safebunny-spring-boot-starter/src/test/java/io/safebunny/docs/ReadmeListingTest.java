// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.safebunny.docs.quickstart.InvoicesApplication;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** The application of the README, run without a broker. */
@ExtendWith(OutputCaptureExtension.class)
class ReadmeListingTest {

    @Test
    void sendsOneInvoice(CapturedOutput output) {
        try (ConfigurableApplicationContext context = SpringApplication.run(
                InvoicesApplication.class,
                "--safebunny.node=invoices",
                "--safebunny.store.type=memory",
                "--safebunny.transport=memory")) {
            await().atMost(Duration.ofSeconds(10)).until(() -> output.getOut().contains("sent invoice 4711"));

            assertThat(output.getOut()).containsOnlyOnce("sending invoice 4711");
            assertThat(context.isActive()).isTrue();
        }
    }
}
