// SPDX-License-Identifier: Apache-2.0
/** What consumers of all kinds share: worker threads, retries, and the memory for what is delivered. Knows no deliveries. */
@NullMarked
package io.safebunny.rabbit.work;

import org.jspecify.annotations.NullMarked;
