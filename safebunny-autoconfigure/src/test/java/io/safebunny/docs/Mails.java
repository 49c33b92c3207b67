// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs;

import io.safebunny.BunnyHandler;
import org.springframework.stereotype.Component;

@Component
class Mails {

    record MailRequested(String address) {}

    interface Gateway {
        void send(String address);
    }

    private final Gateway gateway;

    Mails(Gateway gateway) {
        this.gateway = gateway;
    }

    @BunnyHandler(from = "orders", rate = "400/min")
    void on(MailRequested mail) {
        gateway.send(mail.address());
    }
}
