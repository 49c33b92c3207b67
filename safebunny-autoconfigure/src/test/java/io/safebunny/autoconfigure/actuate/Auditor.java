// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.autoconfigure.actuate.audit.Audit;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.context.event.EventListener;

/** Hears what is audited. Thread-safe. */
class Auditor {

    private final List<AuditEvent> heard = new CopyOnWriteArrayList<>();

    @EventListener
    void on(AuditApplicationEvent event) {
        heard.add(event.getAuditEvent());
    }

    List<AuditEvent> heard() {
        assertThat(heard)
                .extracting(AuditEvent::getType)
                .allMatch(type -> type.endsWith(Audit.OF_ONE_MESSAGE)
                        || Audit.TYPES.contains(type.substring(Audit.PREFIX.length())));
        return heard;
    }
}
