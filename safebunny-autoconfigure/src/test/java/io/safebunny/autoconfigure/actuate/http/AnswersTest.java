// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

class AnswersTest {

    /** That has failed after two copies. */
    private record Failed(PoisonRequest request) implements PoisonOperation {

        @Override
        public String id() {
            return "op-1";
        }

        @Override
        public Kind kind() {
            return Kind.DISCARD;
        }

        @Override
        public Instant begunAt() {
            return Instant.EPOCH;
        }

        @Override
        public Progress progress() {
            return new Progress(
                    RunState.FAILED, 3, 3, 2, 2, Map.of(), List.of(), 0, Instant.EPOCH, "SB-5015 gone", "SB-5015");
        }

        @Override
        public Groups groups() {
            return new Groups(List.of(), 0, false);
        }

        @Override
        public void cancel() {}

        @Override
        public Progress await(Duration patience) {
            return progress();
        }
    }

    /** A dry run has only counted them. */
    @ParameterizedTest
    @CsvSource({"false, 2", "true, 0"})
    void whatHasFailedSaysHowManyWereMoved(boolean dryRun, int moved) {
        PoisonRequest request = PoisonRequest.of(PoisonFilter.all(), "ann", "why");

        WebEndpointResponse<Object> answer = Answers.failed(new Failed(dryRun ? request.asDryRun() : request));

        assertThat(answer.getStatus()).isEqualTo(503);
        assertThat(answer.getBody())
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .containsEntry("operation", "op-1")
                .containsEntry("detail", "gone")
                .containsEntry("moved", moved);
    }
}
