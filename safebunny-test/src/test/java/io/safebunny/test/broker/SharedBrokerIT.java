// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.broker;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SharedBrokerIT {

    @Test
    void isOneForTheWholeVirtualMachineAndAnswers() {
        TestBroker broker = TestBroker.shared();
        assertThat(broker).isSameAs(TestBroker.shared());
        assertThat(broker.version()).matches("\\d+\\.\\d+.*");
        assertThat(broker.toString()).doesNotContain(":" + broker.password() + "@");
    }
}
