// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.poison;

import io.safebunny.autoconfigure.actuate.http.Asked;
import io.safebunny.poison.PoisonEdit;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonRequest;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SecurityContext;

/** What a request asks for, unless it is about which messages. */
record ChangeOfOne(
        @Nullable String action,
        @Nullable String copy,
        @Nullable String body,
        @Nullable String dryRun,
        @Nullable String forced,
        @Nullable String reason) {

    PoisonEdit edit(String id, SecurityContext security) {
        return new PoisonEdit(
                id,
                Asked.present("copy", copy),
                Asked.present("body", body).getBytes(StandardCharsets.UTF_8),
                Asked.by(security),
                Asked.reason(reason));
    }

    PoisonRequest request(PoisonFilter filter, SecurityContext security) {
        boolean isDry = Asked.flag("dryRun", dryRun);
        // a story's dry run works as it is printed: it changes nothing
        String why = isDry ? Objects.requireNonNullElse(reason, "") : Asked.reason(reason);
        PoisonRequest request = PoisonRequest.of(filter, Asked.by(security), why);
        request = isDry ? request.asDryRun() : request;
        return Asked.flag("forced", forced) ? request.withForce() : request;
    }
}
