// SPDX-License-Identifier: Apache-2.0
/** The JSON serializer, and the choice of a serializer by content type. No header ever chooses a class. */
@NullMarked
package io.safebunny.serialization.json;

import org.jspecify.annotations.NullMarked;
