// SPDX-License-Identifier: Apache-2.0
/** Writes publications to the broker, on few channels shared by many threads, and pairs its confirms, returns and refusals with them. */
@NullMarked
package io.safebunny.rabbit.publish;

import org.jspecify.annotations.NullMarked;
