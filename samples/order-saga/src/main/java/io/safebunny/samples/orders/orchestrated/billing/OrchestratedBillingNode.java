// SPDX-License-Identifier: Apache-2.0
package io.safebunny.samples.orders.orchestrated.billing;

import io.safebunny.samples.orders.billing.ToyBank;
import io.safebunny.samples.orders.ledger.LedgerConfiguration;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Import;

/** The application {@code billing}. */
@SpringBootApplication
@Import({LedgerConfiguration.class, ToyBank.class})
public class OrchestratedBillingNode {}
