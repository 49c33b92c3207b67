// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.versions;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.test.BunnyTest;
import io.safebunny.test.upgrade.UpgradeCheck;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;

@BunnyTest(properties = "safebunny.node=shipping")
class BeforeADeployTest {

    @Test
    void readsWhatTheRunningVersionHasStored(@Autowired ApplicationContext application) {
        assertThat(UpgradeCheck.of("shipping-sample.json").in(application)).hasNoFindings();
    }
}
