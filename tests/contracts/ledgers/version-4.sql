BEGIN TRANSACTION;
CREATE TABLE eremite_events (
            seq BIGINT PRIMARY KEY, time TEXT NOT NULL, kind TEXT NOT NULL, payload TEXT NOT NULL,
            previous TEXT NOT NULL, hash TEXT NOT NULL, dataset TEXT NOT NULL DEFAULT '', analyst TEXT NOT NULL DEFAULT '');
INSERT INTO "eremite_events" VALUES(1,'2026-11-17T09:07:00+00:00','dataset opened','{"cap":{"delta":"0","epsilon":"2"},"dataset":"patients","format":2,"rows_per_person":3,"source":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}','0000000000000000000000000000000000000000000000000000000000000000','76da67c31ad0d6837881e78dd2e3020fa6f9541810958f10e471fe28de8fba58','patients','');
INSERT INTO "eremite_events" VALUES(2,'2026-11-17T09:14:00+00:00','dataset opened','{"cap":{"delta":"1/1000000","epsilon":"1"},"dataset":"visits","format":4,"neighbors":"add-remove","rows_per_person":1}','76da67c31ad0d6837881e78dd2e3020fa6f9541810958f10e471fe28de8fba58','907c59822755c9f2ae677b9c2c036e836bd9b62cde3a725772cfc1221e863401','visits','');
INSERT INTO "eremite_events" VALUES(3,'2026-11-17T09:21:00+00:00','cap set','{"analyst":"alice","cap":{"delta":"0","epsilon":"1"},"dataset":"patients","format":1,"reason":"half of it is hers"}','907c59822755c9f2ae677b9c2c036e836bd9b62cde3a725772cfc1221e863401','5f941721e78475ae873bb811939e6c3a8f431f10cb129abfca01c02af36ec6c5','patients','alice');
INSERT INTO "eremite_events" VALUES(4,'2026-11-17T09:28:00+00:00','charged','{"analyst":"alice","cost":{"delta":"0","epsilon":"1/5","rho":"1/50","rho_delta":"0"},"dataset":"patients","fingerprint":"1:f","format":3,"question":{"columns":["bmi"],"query":"count_outliers"},"request_id":"march"}','5f941721e78475ae873bb811939e6c3a8f431f10cb129abfca01c02af36ec6c5','8fb33625ccd2f05467a541376812f258b0184bf6c8e3cf9dc91810c06cd0ece4','patients','alice');
INSERT INTO "eremite_events" VALUES(5,'2026-11-17T09:28:00+00:00','released','{"analyst":"alice","dataset":"patients","format":1,"release":"{\"value\": 12}","request_id":"march"}','8fb33625ccd2f05467a541376812f258b0184bf6c8e3cf9dc91810c06cd0ece4','1c288b8b1b3f16547abc7e36a820524a6a2436a119e874c94b75f326ecce3a1a','patients','alice');
INSERT INTO "eremite_events" VALUES(6,'2026-11-17T09:35:00+00:00','refused','{"analyst":"alice","dataset":"patients","format":1,"request_id":"april 0","sentence":"Account ''alice'' has epsilon 0.8 left; this release needs 0.9. Ask for less, or have the custodian raise the cap.","wanted":{"delta":"0","epsilon":"9/10","rho":"81/200","rho_delta":"0"}}','1c288b8b1b3f16547abc7e36a820524a6a2436a119e874c94b75f326ecce3a1a','ee57a88957403d909a352291b8a275d46043a159b1788c2e94bf876193ba4c63','patients','alice');
INSERT INTO "eremite_events" VALUES(7,'2026-11-17T09:42:00+00:00','refused','{"analyst":"alice","dataset":"patients","format":1,"request_id":"april 1","sentence":"Account ''alice'' has epsilon 0.8 left; this release needs 0.9. Ask for less, or have the custodian raise the cap.","wanted":{"delta":"0","epsilon":"9/10","rho":"81/200","rho_delta":"0"}}','ee57a88957403d909a352291b8a275d46043a159b1788c2e94bf876193ba4c63','e5a2ca00d818f26458a34d8c5fbd75f7b9efb7803ce8d4fe5562f8604e9bbd73','patients','alice');
INSERT INTO "eremite_events" VALUES(8,'2026-11-17T09:49:00+00:00','refused','{"analyst":"alice","dataset":"patients","format":1,"request_id":"april 2","sentence":"Account ''alice'' has epsilon 0.8 left; this release needs 0.9. Ask for less, or have the custodian raise the cap.","wanted":{"delta":"0","epsilon":"9/10","rho":"81/200","rho_delta":"0"}}','e5a2ca00d818f26458a34d8c5fbd75f7b9efb7803ce8d4fe5562f8604e9bbd73','81299bf1c9444be2a1cdeadbc61925ab2475f69e10cbb25803288e64150a20fd','patients','alice');
INSERT INTO "eremite_events" VALUES(9,'2026-11-17T09:56:00+00:00','charged','{"analyst":"bob","cost":{"delta":"1/100000000","epsilon":"1/2","rho":"1/8","rho_delta":"1/100000000"},"dataset":"visits","fingerprint":"1:f","format":3,"question":{"columns":["bmi"],"query":"count_outliers"},"request_id":"lost"}','81299bf1c9444be2a1cdeadbc61925ab2475f69e10cbb25803288e64150a20fd','ac3cca7fef4e5ffc89775d96fdf28e2aac07077d28f1f5ba5e185ec333529b21','visits','bob');
INSERT INTO "eremite_events" VALUES(10,'2026-11-17T10:03:00+00:00','refused','{"analyst":"carla ''\u00fc''","dataset":"visits","format":1,"request_id":"too much 0","sentence":"Dataset ''visits'' has epsilon 0.5 left; this release needs 3. Ask for less, or have the custodian raise the cap.","wanted":{"delta":"0","epsilon":"3","rho":"9/2","rho_delta":"0"}}','ac3cca7fef4e5ffc89775d96fdf28e2aac07077d28f1f5ba5e185ec333529b21','b72ce23a289251d00ba82150609152a8adbe5ae617315f6eb561e99b28117b4c','visits','carla ''ü''');
INSERT INTO "eremite_events" VALUES(11,'2026-11-17T10:10:00+00:00','refused','{"analyst":"carla ''\u00fc''","dataset":"visits","format":1,"request_id":"too much 1","sentence":"Dataset ''visits'' has epsilon 0.5 left; this release needs 3. Ask for less, or have the custodian raise the cap.","wanted":{"delta":"0","epsilon":"3","rho":"9/2","rho_delta":"0"}}','b72ce23a289251d00ba82150609152a8adbe5ae617315f6eb561e99b28117b4c','dbae2522f2df5e781b71099e6c90436bb08a45d76f149e5ccccbd694cae1610e','visits','carla ''ü''');
INSERT INTO "eremite_events" VALUES(12,'2026-11-17T10:17:00+00:00','source noted','{"dataset":"visits","format":1,"source":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"}','dbae2522f2df5e781b71099e6c90436bb08a45d76f149e5ccccbd694cae1610e','42be85b3661d5739ef2e5e0cdb52a0f17ce8eeaad34e5e67ac472da7af3189dc','visits','');
INSERT INTO "eremite_events" VALUES(13,'2026-11-17T10:24:00+00:00','rows replaced','{"dataset":"patients","format":5}','42be85b3661d5739ef2e5e0cdb52a0f17ce8eeaad34e5e67ac472da7af3189dc','af55ae93195596a64eea17d65e0de3f08a456f851b47ced0209a3cad38e5339a','patients','');
CREATE TABLE eremite_head (
            version INTEGER NOT NULL, seq BIGINT NOT NULL, hash TEXT NOT NULL);
INSERT INTO "eremite_head" VALUES(4,13,'af55ae93195596a64eea17d65e0de3f08a456f851b47ced0209a3cad38e5339a');
CREATE TABLE eremite_requests (
            dataset TEXT NOT NULL, analyst TEXT NOT NULL, request_id TEXT NOT NULL, fingerprint TEXT NOT NULL,
            charged BIGINT NOT NULL, released BIGINT, PRIMARY KEY (dataset, analyst, request_id));
INSERT INTO "eremite_requests" VALUES('patients','alice','march','1:f',4,5);
INSERT INTO "eremite_requests" VALUES('visits','bob','lost','1:f',9,NULL);
CREATE TABLE eremite_standings (
            dataset TEXT NOT NULL, analyst TEXT NOT NULL, cap_epsilon TEXT, cap_delta TEXT,
            epsilon TEXT NOT NULL, delta TEXT NOT NULL, rho TEXT NOT NULL, rho_delta TEXT NOT NULL,
            charges BIGINT NOT NULL, sums_only BOOLEAN NOT NULL, rows_per_person BIGINT, neighbors TEXT, refusals BIGINT NOT NULL DEFAULT 0,
            PRIMARY KEY (dataset, analyst));
INSERT INTO "eremite_standings" VALUES('patients','','2','0','1/5','0','1/50','0',1,0,3,NULL,0);
INSERT INTO "eremite_standings" VALUES('visits','','1','1/1000000','1/2','1/100000000','1/8','1/100000000',1,0,1,'add-remove',0);
INSERT INTO "eremite_standings" VALUES('patients','alice','1','0','1/5','0','1/50','0',1,0,NULL,NULL,3);
INSERT INTO "eremite_standings" VALUES('visits','bob',NULL,NULL,'1/2','1/100000000','1/8','1/100000000',1,0,NULL,NULL,0);
INSERT INTO "eremite_standings" VALUES('visits','carla ''ü''',NULL,NULL,'0','0','0','0',0,0,NULL,NULL,2);
CREATE INDEX eremite_sources ON eremite_events (seq) WHERE kind IN ('dataset opened', 'source noted');
CREATE INDEX eremite_of_dataset ON eremite_events (dataset, seq);
CREATE INDEX eremite_of_account ON eremite_events (dataset, analyst, seq);
CREATE INDEX eremite_releases ON eremite_events (dataset, analyst, seq) WHERE kind = 'released';
COMMIT;
