// SPDX-License-Identifier: Apache-2.0
package io.safebunny.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.failure.MisuseException;
import io.safebunny.transport.ControlAddress.OfInstance;
import io.safebunny.transport.ControlAddress.OfNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ControlAddressTest {

    /** What transports use as routing keys must name one address only. */
    @ParameterizedTest
    @ValueSource(strings = {"", "#", "*", "_all", "_all.0b9c3e51", "UPPER"})
    void refusesWhatIsNoName(String name) {
        assertThatThrownBy(() -> new OfNode(name)).isInstanceOf(MisuseException.class);
        assertThatThrownBy(() -> new OfInstance(name)).isInstanceOf(MisuseException.class);
    }

    @Test
    void takesNamesAndIds() {
        assertThat(new OfNode("billing.eu").node()).isEqualTo("billing.eu");
        assertThat(new OfInstance("0b9c3e51").id()).isEqualTo("0b9c3e51");
    }
}
