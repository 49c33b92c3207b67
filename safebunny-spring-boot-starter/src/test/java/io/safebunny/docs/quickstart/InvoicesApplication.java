// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.quickstart;

import io.safebunny.Bunny;
import io.safebunny.BunnyHandler;
import io.safebunny.MessageContext;
import io.safebunny.PublishOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

@SpringBootApplication
public class InvoicesApplication {

    public static void main(String[] arguments) {
        SpringApplication.run(InvoicesApplication.class, arguments);
    }

    @Bean
    ApplicationRunner requestOne(Bunny bunny) {
        return arguments -> bunny.publish(
                new InvoiceRequested("4711", 1999), PublishOptions.none().withIdempotencyKey("4711"));
    }
}

record InvoiceRequested(String invoice, long cents) {}

record InvoiceSent(String invoice) {}

@Component
class Invoicing {

    private static final Logger log = LoggerFactory.getLogger(Invoicing.class);
    private final Bunny bunny;

    Invoicing(Bunny bunny) {
        this.bunny = bunny;
    }

    @BunnyHandler(from = "invoices") // InvoiceRequested, published by the node "invoices": here, itself
    void on(InvoiceRequested request, MessageContext context) {
        log.info("sending invoice {} [{}]", request.invoice(), context.messageId());
        bunny.publish(new InvoiceSent(request.invoice())); // goes out when this method has succeeded
    }

    @BunnyHandler(from = "invoices")
    void on(InvoiceSent sent) {
        log.info("sent invoice {}", sent.invoice());
    }
}
