// SPDX-License-Identifier: Apache-2.0
package io.safebunny.doubles;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.transport.Transport;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ForwardingTransportTest {

    /** Otherwise a wrapper loses what the default of a later method leaves out. */
    @Test
    void passesEveryMethodOn() {
        assertThat(Transport.class.getMethods()).allSatisfy(method -> assertThat(
                        ForwardingTransport.class.getDeclaredMethod(method.getName(), method.getParameterTypes()))
                .isNotNull());
        assertThat(Arrays.stream(ForwardingTransport.class.getDeclaredMethods())
                        .filter(method -> !method.isSynthetic()))
                .hasSameSizeAs(Transport.class.getMethods());
    }
}
