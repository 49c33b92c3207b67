// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.orchestrated.shipping;

import io.safebunny.samples.orders.ledger.LedgerConfiguration;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Import;

/** The application {@code shipping}. */
@SpringBootApplication
@Import(LedgerConfiguration.class)
public class OrchestratedShippingNode {}
