// SPDX-License-Identifier: Apache-2.0
/** Payloads to bytes and back, chosen by content type. No header ever chooses a class. */
@NullMarked
package io.safebunny.serialization;

import org.jspecify.annotations.NullMarked;
