// SPDX-License-Identifier: Apache-2.0
package io.safebunny.claimcheck.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.bodies.BodyStore;
import io.safebunny.bodies.ClaimCheck;
import io.safebunny.claimcheck.FileBodyStore;
import io.safebunny.claimcheck.StoringClaimCheck;
import io.safebunny.concurrency.Workers;
import io.safebunny.doubles.VirtualTimeline;
import io.safebunny.node.SafeBunnyOptions;
import io.safebunny.test.bodies.MemoryBodyStore;
import io.safebunny.time.Timeline;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.unit.DataSize;

class ClaimCheckAutoConfigurationTest {

    @TempDir
    private @Nullable Path folder;

    private final VirtualTimeline timeline = new VirtualTimeline();

    private final ApplicationContextRunner node = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(ClaimCheckAutoConfiguration.class))
            .withBean(Timeline.class, () -> timeline)
            .withBean(SafeBunnyOptions.class, () -> SafeBunnyOptions.of("scanner"))
            .withBean(Workers.class, () -> new Workers(Runnable::run));

    private String location() {
        return "safebunny.claim-check.files.location=" + folder;
    }

    @Test
    void withoutAStoreItDoesNothing() {
        node.run(context -> assertThat(context).doesNotHaveBean(ClaimCheck.class));
    }

    @Test
    void aFolderIsEnough() {
        node.withPropertyValues(location()).run(context -> {
            assertThat(context.getBean(StoringClaimCheck.class).store()).isInstanceOf(FileBodyStore.class);
            assertThat(context).hasSingleBean(ClaimCheck.class);
        });
    }

    @Test
    void aStoreOfTheApplicationTakesItsPlace() {
        node.withBean(BodyStore.class, () -> new MemoryBodyStore(timeline)).run(context -> assertThat(
                        context.getBean(StoringClaimCheck.class).store())
                .isInstanceOf(MemoryBodyStore.class));
    }

    @Test
    void ofTwoStoresOneIsNamed() {
        ApplicationContextRunner both =
                node.withPropertyValues(location()).withBean(BodyStore.class, () -> new MemoryBodyStore(timeline));
        both.run(context -> assertThat(context).hasFailed());
        both.withPropertyValues("safebunny.claim-check.store=files").run(context -> assertThat(
                        context.getBean(StoringClaimCheck.class).store())
                .isInstanceOf(FileBodyStore.class));
    }

    /** 7 days of duplicates, 90 of poison messages, 30 of delays. */
    @Test
    void bodiesAreKeptForAsLongAsAnybodyMayAskForThem() {
        SafeBunnyOptions options = SafeBunnyOptions.of("scanner");
        ClaimCheckProperties unset =
                new ClaimCheckProperties(DataSize.ofKilobytes(256), null, null, new ClaimCheckProperties.Files(null));
        assertThat(unset.kept(options)).isEqualTo(Duration.ofDays(127));
        assertThat(unset.kept(options.withRetention(Duration.ofDays(60)))).isEqualTo(Duration.ofDays(180));

        node.withPropertyValues(location(), "safebunny.claim-check.retention=96d")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("SB-1301")
                        .hasMessageContaining("at least 97 days"));
        node.withPropertyValues(location(), "safebunny.claim-check.retention=97d")
                .run(context -> assertThat(context).hasNotFailed());
    }
}
