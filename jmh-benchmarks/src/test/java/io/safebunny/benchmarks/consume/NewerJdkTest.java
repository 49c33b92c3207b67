// SPDX-License-Identifier: Apache-2.0
package io.safebunny.benchmarks.consume;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class NewerJdkTest {

    @Test
    void aRequestIsOneLineAndReadAsItWasWritten() {
        NewerJdk.Request request = new NewerJdk.Request(true, 100, 10, new Waits(1, 20_000, 900));

        String line = JsonMapper.shared().writeValueAsString(request);

        assertThat(line).doesNotContain("\n");
        assertThat(JsonMapper.shared().readValue(line, NewerJdk.Request.class)).isEqualTo(request);
    }
}
