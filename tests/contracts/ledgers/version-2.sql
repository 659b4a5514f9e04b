BEGIN TRANSACTION;
CREATE TABLE eremite_events (
            seq BIGINT PRIMARY KEY, time TEXT NOT NULL, kind TEXT NOT NULL, payload TEXT NOT NULL,
            previous TEXT NOT NULL, hash TEXT NOT NULL);
INSERT INTO "eremite_events" VALUES(1,'2026-11-17T09:07:00+00:00','dataset opened','{"cap":{"delta":"0","epsilon":"2"},"dataset":"patients","format":2,"rows_per_person":3,"source":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}','0000000000000000000000000000000000000000000000000000000000000000','76da67c31ad0d6837881e78dd2e3020fa6f9541810958f10e471fe28de8fba58');
INSERT INTO "eremite_events" VALUES(2,'2026-11-17T09:14:00+00:00','dataset opened','{"cap":{"delta":"1/1000000","epsilon":"1"},"dataset":"visits","format":1,"rows_per_person":1}','76da67c31ad0d6837881e78dd2e3020fa6f9541810958f10e471fe28de8fba58','f3cff8d14b4e31d833131e4a85b09b03a790cf7319c0c1d74d5669e23dafdf17');
INSERT INTO "eremite_events" VALUES(3,'2026-11-17T09:21:00+00:00','cap set','{"analyst":"alice","cap":{"delta":"0","epsilon":"1"},"dataset":"patients","format":1,"reason":"half of it is hers"}','f3cff8d14b4e31d833131e4a85b09b03a790cf7319c0c1d74d5669e23dafdf17','e38c1a7aee1f5cc332aecb18498265b4633efeeb2c6b353b25da1eb079bffb43');
INSERT INTO "eremite_events" VALUES(4,'2026-11-17T09:28:00+00:00','charged','{"analyst":"alice","cost":{"delta":"0","epsilon":"1/5","rho":"1/50","rho_delta":"0"},"dataset":"patients","fingerprint":"1:f","format":3,"question":{"columns":["bmi"],"query":"count_outliers"},"request_id":"march"}','e38c1a7aee1f5cc332aecb18498265b4633efeeb2c6b353b25da1eb079bffb43','afcfec368f148b5f110c260d15b41a470b19a3884e25cabec2751b94b03311c2');
INSERT INTO "eremite_events" VALUES(5,'2026-11-17T09:28:00+00:00','released','{"analyst":"alice","dataset":"patients","format":1,"release":"{\"value\": 12}","request_id":"march"}','afcfec368f148b5f110c260d15b41a470b19a3884e25cabec2751b94b03311c2','4977a28a7699a94f08400289aadbcc39872ab5fba3948c308ca98abb836ed27e');
INSERT INTO "eremite_events" VALUES(6,'2026-11-17T09:35:00+00:00','refused','{"analyst":"alice","dataset":"patients","format":1,"request_id":"april 0","sentence":"Account ''alice'' has epsilon 0.8 left; this release needs 0.9. Ask for less, or have the custodian raise the cap.","wanted":{"delta":"0","epsilon":"9/10","rho":"81/200","rho_delta":"0"}}','4977a28a7699a94f08400289aadbcc39872ab5fba3948c308ca98abb836ed27e','43d7f82589aec7918113029df6b3f0c9524b67d4697c6492f32fdb47f33e4727');
INSERT INTO "eremite_events" VALUES(7,'2026-11-17T09:42:00+00:00','refused','{"analyst":"alice","dataset":"patients","format":1,"request_id":"april 1","sentence":"Account ''alice'' has epsilon 0.8 left; this release needs 0.9. Ask for less, or have the custodian raise the cap.","wanted":{"delta":"0","epsilon":"9/10","rho":"81/200","rho_delta":"0"}}','43d7f82589aec7918113029df6b3f0c9524b67d4697c6492f32fdb47f33e4727','b85511b1dbab385cc138ba0c4315c5f3a259ef18f8bf6153eca5e1590b79ff30');
INSERT INTO "eremite_events" VALUES(8,'2026-11-17T09:49:00+00:00','refused','{"analyst":"alice","dataset":"patients","format":1,"request_id":"april 2","sentence":"Account ''alice'' has epsilon 0.8 left; this release needs 0.9. Ask for less, or have the custodian raise the cap.","wanted":{"delta":"0","epsilon":"9/10","rho":"81/200","rho_delta":"0"}}','b85511b1dbab385cc138ba0c4315c5f3a259ef18f8bf6153eca5e1590b79ff30','233a1320b0e9c14e614be58eb92c2d31ffea4173c7b8b509728c0adf1149946f');
INSERT INTO "eremite_events" VALUES(9,'2026-11-17T09:56:00+00:00','charged','{"analyst":"bob","cost":{"delta":"1/100000000","epsilon":"1/2","rho":"1/8","rho_delta":"1/100000000"},"dataset":"visits","fingerprint":"1:f","format":3,"question":{"columns":["bmi"],"query":"count_outliers"},"request_id":"lost"}','233a1320b0e9c14e614be58eb92c2d31ffea4173c7b8b509728c0adf1149946f','63e346d3053c68e4cc4c07040a3c59cbba413a6c3432b9b2deb56811b1cdd0f4');
INSERT INTO "eremite_events" VALUES(10,'2026-11-17T10:03:00+00:00','refused','{"analyst":"carla ''\u00fc''","dataset":"visits","format":1,"request_id":"too much 0","sentence":"Dataset ''visits'' has epsilon 0.5 left; this release needs 3. Ask for less, or have the custodian raise the cap.","wanted":{"delta":"0","epsilon":"3","rho":"9/2","rho_delta":"0"}}','63e346d3053c68e4cc4c07040a3c59cbba413a6c3432b9b2deb56811b1cdd0f4','11b632b832a04ff3ffadcea59d6f3aa23cc9990e8eca81503b5c7aa2f86f4717');
INSERT INTO "eremite_events" VALUES(11,'2026-11-17T10:10:00+00:00','refused','{"analyst":"carla ''\u00fc''","dataset":"visits","format":1,"request_id":"too much 1","sentence":"Dataset ''visits'' has epsilon 0.5 left; this release needs 3. Ask for less, or have the custodian raise the cap.","wanted":{"delta":"0","epsilon":"3","rho":"9/2","rho_delta":"0"}}','11b632b832a04ff3ffadcea59d6f3aa23cc9990e8eca81503b5c7aa2f86f4717','2b58ce8c5104f73b1d0fee62d745ddce5f10aa72258648bc85ffde247c3ac4ad');
INSERT INTO "eremite_events" VALUES(12,'2026-11-17T10:17:00+00:00','source noted','{"dataset":"visits","format":1,"source":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"}','2b58ce8c5104f73b1d0fee62d745ddce5f10aa72258648bc85ffde247c3ac4ad','65e9b534fac069359e566fc0391a0b50c3de359031522b9ad09b6fee319c9c3e');
CREATE TABLE eremite_head (
            version INTEGER NOT NULL, seq BIGINT NOT NULL, hash TEXT NOT NULL);
INSERT INTO "eremite_head" VALUES(2,12,'65e9b534fac069359e566fc0391a0b50c3de359031522b9ad09b6fee319c9c3e');
CREATE TABLE eremite_requests (
            dataset TEXT NOT NULL, analyst TEXT NOT NULL, request_id TEXT NOT NULL, fingerprint TEXT NOT NULL,
            charged BIGINT NOT NULL, released BIGINT, PRIMARY KEY (dataset, analyst, request_id));
INSERT INTO "eremite_requests" VALUES('patients','alice','march','1:f',4,5);
INSERT INTO "eremite_requests" VALUES('visits','bob','lost','1:f',9,NULL);
CREATE TABLE eremite_standings (
            dataset TEXT NOT NULL, analyst TEXT NOT NULL, cap_epsilon TEXT, cap_delta TEXT,
            epsilon TEXT NOT NULL, delta TEXT NOT NULL, rho TEXT NOT NULL, rho_delta TEXT NOT NULL,
            charges BIGINT NOT NULL, sums_only BOOLEAN NOT NULL, rows_per_person BIGINT,
            PRIMARY KEY (dataset, analyst));
INSERT INTO "eremite_standings" VALUES('patients','','2','0','1/5','0','1/50','0',1,0,3);
INSERT INTO "eremite_standings" VALUES('visits','','1','1/1000000','1/2','1/100000000','1/8','1/100000000',1,0,1);
INSERT INTO "eremite_standings" VALUES('patients','alice','1','0','1/5','0','1/50','0',1,0,NULL);
INSERT INTO "eremite_standings" VALUES('visits','bob',NULL,NULL,'1/2','1/100000000','1/8','1/100000000',1,0,NULL);
CREATE INDEX eremite_sources ON eremite_events (seq) WHERE kind IN ('dataset opened', 'source noted');
COMMIT;
